#include "train_screen.h"

#include <fmt/format.h>

#include <cstdio>

namespace heed::cli {

void TrainScreen::on_reading(std::int64_t pairs) {
  if (!reading_) reading_.emplace("reading", 0, "pairs");
  reading_->update(0, pairs);
}

void TrainScreen::on_start(const Prepared& data, std::size_t valid_pairs, const Model& model) {
  reading_.reset();
  fmt::print(stderr, "{} pairs to train on, {} to validate with; {} and {} words\n",
             short_number(static_cast<double>(data.tally.kept)), short_number(static_cast<double>(valid_pairs)),
             short_number(static_cast<double>(data.source.size())),
             short_number(static_cast<double>(data.target.size())));
  if (const std::int64_t dropped = data.tally.read - data.tally.kept; dropped > 0)
    fmt::print(stderr, "left out: {} empty, {} too long, {} with another beginning, {} past the number wanted\n",
               data.tally.empty, data.tally.too_long, data.tally.other_prefix,
               dropped - data.tally.empty - data.tally.too_long - data.tally.other_prefix);
  fmt::print(stderr, "{}: {} parameters\n", model.config().system,
             short_number(static_cast<double>(model.parameters().count())));
}

void TrainScreen::on_update(const UpdateReport& report) {
  if (!training_) training_.emplace("training", report.updates, "tokens");
  tokens_ += report.target_tokens;
  training_->update(report.update, tokens_, fmt::format("epoch {} loss {:.3f}", report.epoch + 1, report.loss));
}

void TrainScreen::on_epoch(std::int64_t epoch, const Validation* validation, bool best, double loss, double seconds) {
  if (training_) training_->clear();
  std::string line = fmt::format("epoch {:>3}  {:>7}  loss {:.3f}", epoch, short_duration(seconds), loss);
  if (validation != nullptr)
    line += fmt::format("  valid perplexity {:.3f}, exactly right {:.1f}%{}", validation->perplexity,
                        100 * validation->exact, best ? "  best so far" : "");
  fmt::print(stderr, "{}\n", line);
}

}  // namespace heed::cli
