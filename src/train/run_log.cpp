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

void LineLog::open(const std::string& path, std::int64_t bytes) {
  path_ = path;
  descriptor_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (descriptor_.get() < 0) fail(errno);
  // A log that someone has shortened or removed goes on from what is there.
  cut(std::min<std::int64_t>(bytes, ::lseek(descriptor_.get(), 0, SEEK_END)));
}

void LineLog::cut(std::int64_t bytes) {
  if (::ftruncate(descriptor_.get(), bytes) != 0) fail(errno);
  bytes_ = bytes;
}

void LineLog::write(std::string text) {
  text += '\n';
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(descriptor_.get(), text.data() + done, text.size() - done);
    if (wrote >= 0)
      done += static_cast<std::size_t>(wrote);
    else if (errno != EINTR)
      fail(errno);
  }
  bytes_ += static_cast<std::int64_t>(text.size());
}

void LineLog::sync() {
  // Some file systems cannot sync; only a real failure to write matters.
  if (::fsync(descriptor_.get()) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT)) fail(errno);
}

namespace {

Json sample_json(const Sample& sample) {
  Json json = {{"text", sample.source}, {"reference", sample.reference}, {"translation", sample.translation}};
  json.update(attention_json(sample.attention));
  return json;
}

}  // namespace

void RunLog::open(const std::string& metrics, const std::string& samples, const Position& position) {
  metrics_.open(metrics, position.metrics_bytes);
  samples_.open(samples, position.samples_bytes);
}

void RunLog::cut(const Position& position) {
  metrics_.cut(position.metrics_bytes);
  samples_.cut(position.samples_bytes);
}

void RunLog::sync() {
  metrics_.sync();
  samples_.sync();
}

void RunLog::write(const ValidationReport& r) {
  Json line = {{"kind", r.averaged ? "average" : "validation"}, {"update", r.update}, {"epoch", r.epoch}};
  if (r.validated != nullptr) {
    Json samples = Json::array();
    for (const Sample& sample : r.validated->samples) samples.push_back(sample_json(sample));
    Json kept = line;
    kept["samples"] = samples;
    samples_.write(dump_json(kept));
  }
  if (!r.averaged) line["loss"] = r.loss;
  line["learning_rate"] = r.rate;
  line["best"] = r.best;
  line["seconds"] = r.seconds;
  if (r.validated != nullptr) {
    for (const std::string& metric : enum_names(ValidationMetric{}))
      line[metric] = r.validated->scores.value(enum_value<ValidationMetric>(metric));
    line["sentences"] = r.validated->scores.sentences;
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
