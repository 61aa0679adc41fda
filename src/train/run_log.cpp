#include "train/run_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/enum_names.h"
#include "text/attention_json.h"

namespace heed::train {

void LineLog::fail(int error) const {
  throw InputError("cannot write '{}': {}", path_, system_message(error));
}

void LineLog::open(const std::string& path) {
  path_ = path;
  descriptor_ = open_own_file(path, O_APPEND);
}

void LineLog::truncate(std::int64_t bytes) {
  // The user may have shortened or removed the log.
  bytes_ = std::min<std::int64_t>(bytes, ::lseek(descriptor_.get(), 0, SEEK_END));
  if (::ftruncate(descriptor_.get(), bytes_) != 0) fail(errno);
}

void LineLog::write(std::string line) {
  line += '\n';
  if (const int error = write_all(descriptor_.get(), line); error != 0) fail(error);
  bytes_ += std::ssize(line);
}

void LineLog::sync() {
  // Some file systems do not support fsync; only a failure to write is an error.
  if (::fsync(descriptor_.get()) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT)) fail(errno);
}

void RunLog::open(const std::string& metrics, const std::string& samples, const Position& position) {
  metrics_.open(metrics);
  samples_.open(samples);
  truncate(position);
}

void RunLog::truncate(const Position& position) {
  metrics_.truncate(position.metrics_bytes);
  samples_.truncate(position.samples_bytes);
}

void RunLog::write(const ValidationReport& r) {
  Json line = {{"kind", r.averaged ? "average" : "validation"}, {"update", r.update}, {"epoch", r.epoch}};
  if (r.validation != nullptr) {
    Json with_samples = line;
    Json& samples = with_samples["samples"] = Json::array();
    for (const auto& [source, reference, translation, attention] : r.validation->samples) {
      samples.push_back({{"text", source}, {"reference", reference}, {"translation", translation}});
      samples.back().update(attention_json(attention));
    }
    samples_.write(dump_json(with_samples));
  }
  if (!r.averaged) line["loss"] = r.loss;
  line["learning_rate"] = r.rate;
  line["best"] = r.best;
  line["seconds"] = r.seconds;
  if (r.validation != nullptr) {
    for (const std::string& metric : enum_names(ValidationMetric{}))
      line[metric] = r.validation->value(enum_value<ValidationMetric>(metric));
    line["sentences"] = r.validation->sentences;
  }
  write_line(line);
}

void RunLog::write(const Divergence& d) {
  write_line({{"kind", "divergence"},
              {"update", d.report.update},
              {"epoch", d.report.epoch + 1},
              {"batch", d.report.batch + 1},
              {"loss", d.report.loss},
              {"gradient_norm", d.report.gradient_norm},
              {"back_to", d.back_to},
              {"rate_factor", d.rate_factor},
              {"seconds", d.seconds}});
}

}  // namespace heed::train
