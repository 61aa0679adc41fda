#include "train/run_log.h"

#include "base/enum_names.h"
#include "base/files.h"
#include "text/attention_json.h"

namespace heed::train {

void RunLog::open(const std::string& metrics, const std::string& samples, const Position& position) {
  metrics_.open(metrics);
  samples_.open(samples);
  truncate(position);
}

void RunLog::open_events(const std::string& path, double seconds) {
  events_.emplace().open(path, seconds);
  events_->follow(read_file(metrics_.path()));
}

void RunLog::truncate(const Position& position) {
  metrics_.truncate(position.metrics_bytes);
  samples_.truncate(position.samples_bytes);
  if (events_) events_->follow(read_file(metrics_.path()));
}

void RunLog::sync() {
  metrics_.sync();
  samples_.sync();
  if (events_) events_->sync();
}

void RunLog::write_line(const Json& line) {
  metrics_.write(dump_json(line));
  if (events_) events_->write(line);
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
              {"back_to", d.back_to ? Json(*d.back_to) : Json()},
              {"rate_factor", d.rate_factor},
              {"seconds", d.seconds}});
}

}  // namespace heed::train
