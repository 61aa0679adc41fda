#include "train_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace heed::cli {
namespace {

std::string count(std::size_t number, const char* one, const char* many) {
  return fmt::format("{} {}", short_number(static_cast<double>(number)), number == 1 ? one : many);
}

}  // namespace

void TrainScreen::on_reading(std::int64_t pairs) {
  if (!reading_) reading_.emplace("reading", 0, "pairs");
  reading_->update(0, pairs);
}

void TrainScreen::on_start(const train::RunSummary& p) {
  reading_.reset();
  watch_interrupts();
  const data::SelectionTally& tally = p.data.tally;
  fmt::print(stderr, "{} to train on, {} to validate with; {} and {} words\n",
             count(p.data.examples.size(), "pair", "pairs"), short_number(static_cast<double>(p.valid_pairs)),
             short_number(static_cast<double>(p.data.source.size())),
             short_number(static_cast<double>(p.data.target.size())));
  if (const std::int64_t dropped = tally.read - tally.kept; dropped > 0)
    fmt::print(stderr, "left out: {} empty, {} too long, {} with another beginning, {} past the number wanted\n",
               tally.empty, tally.too_long, tally.other_prefix,
               dropped - tally.empty - tally.too_long - tally.other_prefix);
  for (const std::string& warning : p.data_warnings) fmt::print(stderr, "odd in the text: {}\n", warning);
  if (!p.data_warnings.empty()) fmt::print(stderr, "`heed data` shows such pairs, and writes a copy without them\n");
  fmt::print(stderr, "{}: {} parameters; about {:.0f} MB of memory, {} an epoch, {} updates in all\n",
             p.model.config().system, short_number(static_cast<double>(p.model.parameters().count())),
             static_cast<double>(p.cost.bytes) / 1e6, short_duration(p.cost.epoch_seconds),
             short_number(static_cast<double>(p.updates)));
  if (p.update > 0) fmt::print(stderr, "going on after update {}\n", p.update);
}

void TrainScreen::on_update(const train::UpdateReport& report) {
  if (!training_) training_.emplace("training", report.updates, "tokens");
  tokens_ += report.target_tokens;
  training_->update(report.update, tokens_, fmt::format("epoch {} loss {:.3f}", report.epoch + 1, report.loss));
}

void TrainScreen::on_validation(const train::ValidationReport& report) {
  if (training_) training_->clear();
  write_report();
  std::string line = report.averaged ? fmt::format("the average          {:>7}", short_duration(report.seconds))
                                     : fmt::format("epoch {:>3} update {:>6}  {:>7}  loss {:.3f}", report.epoch,
                                                   report.update, short_duration(report.seconds), report.loss);
  if (report.validated == nullptr) {
    fmt::print(stderr, "{}\n", line);
    return;
  }
  const train::Validation& v = report.validated->scores;
  line += fmt::format("  valid: perplexity {:.3f}, accuracy {:.1f}%, BLEU {:.1f}, chrF {:.1f}, exact {:.1f}%{}",
                      v.perplexity, 100 * v.accuracy, v.bleu, v.chrf, 100 * v.exact, report.best ? "  best" : "");
  fmt::print(stderr, "{}\n", line);
  for (std::size_t i = 0; i < std::min(samples_, report.validated->samples.size()); ++i) {
    const train::Sample& sample = report.validated->samples[i];
    fmt::print(stderr, "    {}\n    -> {}\n", sample.source, sample.translation);
  }
}

void TrainScreen::on_divergence(const train::Divergence& d) {
  if (training_) training_->clear();
  fmt::print(
      stderr,
      "training diverged at update {} (epoch {}, batch {}): loss {:.4g}, gradient norm {:.4g}; back to update {}, "
      "with {:.2g} times the learning rate\n",
      d.report.update, d.report.epoch + 1, d.report.batch + 1, d.report.loss, d.report.gradient_norm, d.back_to,
      d.rate_factor);
}

// A report that cannot be written is no reason to stop a run.
void TrainScreen::write_report() {
  try {
    report_.write();
  } catch (const Error& error) {
    fmt::print(stderr, "no report: {}\n", error.what());
  }
}

int TrainScreen::finish(const train::RunResult& result) {
  training_.reset();
  if (result.end != train::RunResult::End::was_done) write_report();
  switch (result.end) {
    case train::RunResult::End::stopped:
      fmt::print(stderr, "stopped after update {} and saved; go on with: heed train --resume --out {}\n", result.update,
                 out_);
      return interrupted_exit_code();
    case train::RunResult::End::was_done:
      fmt::print(stderr, "the run in {0} is over: update {1}, {2}; train longer with --epochs or --updates\n", out_,
                 result.update, result.reason == "patience" ? "nothing better had come for long" : "as many as wanted");
      return 0;
    case train::RunResult::End::done:
      break;
  }
  if (result.reason == "patience") fmt::print(stderr, "stopped early: nothing better has come for long enough\n");
  fmt::print(stderr,
             "the best model is {0}/model.safetensors; how it came to be is in {0}/report.html\n"
             "try: echo 'your text' | heed translate {0}/model.safetensors\n",
             out_);
  return 0;
}

}  // namespace heed::cli
