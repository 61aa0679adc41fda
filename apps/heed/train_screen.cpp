#include "train_screen.h"
#include "base/terminal.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/enum_names.h"
#include "base/numbers.h"
#include "command.h"
#include "train/run_list.h"

namespace heed::cli {
namespace {

template <class Integer>
std::string short_count(Integer number) {
  return short_number(static_cast<double>(number));
}

// A line of any length; on a terminal it is broken between words, and what follows is indented.
void say_line(const std::string& line) {
  constexpr std::size_t kIndent = 4, kNarrowest = 40;
  const std::size_t width = std::max(terminal_width(STDERR_FILENO, line.size() + kIndent), kNarrowest);
  std::string shown;
  for (const std::string& part : wrap_text(line, width - kIndent))
    shown += fmt::format("{:{}}{}\n", "", shown.empty() ? 0 : kIndent, part);
  say(shown);
}

// Which pairs are used, held out and left out.
void print_choice(const train::RunSummary& p) {
  const train::PairChoice& choice = p.choice;
  if (p.data.limited)
    say_line(
        fmt::format("data.pairs is {0}: only the first {0} pairs are used, but the corpus has more; use all with "
                    "--set data.pairs=0",
                    p.config.data.pairs));
  if (choice.held_out > 0) {
    const std::string removed =
        choice.removed > 0 ? fmt::format("; {} more with the same source left out", grouped(choice.removed)) : "";
    const std::string stop = p.config.validation.patience > 0
                                 ? fmt::format("; early stopping after {} without improvement",
                                               counted(p.config.validation.patience, "validation"))
                                 : "";
    say_line(fmt::format("no validation text: held out {} pairs{}{} (--no-holdout trains on all)",
                         grouped(choice.held_out), removed, stop));
  }
  if (choice.too_few > 0)
    say_line(fmt::format(
        "no validation text, and too few different pairs to hold some out ({}, at least {} needed): training on all",
        choice.too_few, train::kMinHoldoutPairs));
}

// Warns if the model is far too large for the amount of text. The guide gives the same settings.
void print_size_note(const train::RunSummary& p) {
  constexpr std::int64_t kParametersPerPair = 1000;
  constexpr int kSmall = 128, kFewSubwords = 2000, kManyEntries = 2500;
  const auto pairs = static_cast<std::int64_t>(p.data.examples.size());
  const model::ModelConfig& c = p.model.config();
  if (static_cast<std::int64_t>(p.model.parameters().count()) <= kParametersPerPair * pairs ||
      c.encoder.hidden <= kSmall)
    return;
  std::string settings = fmt::format("--set encoder.hidden={0} --set decoder.hidden={0}", kSmall);
  if (p.config.text.has_subwords() && std::max(p.data.source.size(), p.data.target.size()) > kManyEntries)
    settings += fmt::format(" --set data.subwords={}", kFewSubwords);
  if (c.system == "heed" && p.config.training.learning_rate == 0.001) settings += " --lr 0.003";
  print_note("{} parameters are a lot for {}; a smaller model is faster and often better, for example with {}",
             short_count(p.model.parameters().count()), counted(pairs, "training pair"), settings);
}

// Warns if a run has too few updates to learn anything. Tutorial presets are left alone unless there are very few.
void print_updates_note(const train::RunSummary& p) {
  constexpr std::int64_t kEnough = 1500, kFew = 500;
  constexpr int kSmallBatch = 16;
  const train::TrainingConfig& c = p.config.training;
  const bool is_tutorial = p.model.config().system != "heed";
  if (c.updates > 0 || p.updates >= (is_tutorial ? kFew : kEnough) || p.updates == 0) return;
  const auto ratio_up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const auto pairs = static_cast<std::int64_t>(p.data.examples.size());
  const std::int64_t updates = c.epochs * ratio_up(ratio_up(pairs, kSmallBatch), c.accumulate);  // with small batches
  const bool large =
      !is_tutorial && c.batch_unit == data::BatchUnit::sentences && c.batch > kSmallBatch && updates > p.updates;
  print_note("only {}: a model usually needs 1,000 to 2,000 before its output makes sense; use {}--epochs {}",
             counted(p.updates, "update"),
             !large               ? ""
             : updates >= kEnough ? fmt::format("--batch {}, or ", kSmallBatch)
                                  : fmt::format("--batch {} ", kSmallBatch),
             ratio_up(kEnough * c.epochs, large && updates < kEnough ? updates : p.updates));
}

}  // namespace

void TrainScreen::on_note(const std::string& sentence) {
  print_note("{}", sentence);
}

void TrainScreen::on_reading(std::int64_t pairs) {
  if (!reading_) reading_.emplace("reading", 0, "pairs");
  reading_->update(0, pairs);
}

void TrainScreen::on_start(const train::RunSummary& p) {
  reading_.reset();
  patience_ = p.config.validation.patience;
  metric_ = enum_name(p.config.validation.metric);
  watch_interrupts();
  print_choice(p);
  const data::SelectionTally& tally = p.data.tally;
  const std::string vocabulary =
      (p.config.text.subword_joint && p.config.text.has_subwords()) || p.config.data.shared_vocabulary
          ? fmt::format("{} entries, shared by both sides", short_count(p.data.source.size()))
          : fmt::format("{} source and {} target entries", short_count(p.data.source.size()),
                        short_count(p.data.target.size()));
  say("training pairs: {}, validation pairs: {}; vocabulary: {}\n", short_count(p.data.examples.size()),
      short_count(p.valid_pairs), vocabulary);
  std::vector<std::string> skipped;
  for (const auto& [count, why] :
       {std::pair{tally.empty, "empty"}, std::pair{tally.too_long, "too long (data.max_length)"},
        std::pair{tally.other_prefix, "without a matching prefix (data.source_prefixes, data.target_prefixes)"}})
    if (count > 0) skipped.push_back(fmt::format("{} {}", short_count(count), why));
  for (std::size_t k = 0; k < survey::kProblems; ++k)
    if (const std::int64_t count = p.choice.filtered[k]; count > 0)
      skipped.push_back(fmt::format("{} {} (data.filters)", short_count(count),
                                    count == 1 ? survey::kProblemKinds[k].one : survey::kProblemKinds[k].many));
  if (!skipped.empty()) say("skipped pairs: {}\n", fmt::format("{}", fmt::join(skipped, ", ")));
  for (const std::string& note : p.data.notes) print_note("{}", note);
  for (const std::string& warning : p.data_warnings) say("warning: {}\n", warning);
  if (!p.data_warnings.empty()) say("`heed data` shows these pairs and writes a copy without them\n");
  say("preset {}: {} parameters; estimated: {:.0f} MB of memory, {} per epoch; {} in total\n", p.model.config().system,
      short_count(p.model.parameters().count()), std::max(1.0, static_cast<double>(p.cost.bytes) / 1e6),
      short_duration(p.cost.epoch_seconds), p.updates == 1 ? "1 update" : short_count(p.updates) + " updates");
  if (p.ranks > 1) say("workers: {} processes with {} each\n", p.ranks, counted(p.threads, "thread"));
  if (p.update == 0 && !p.has_parent) {
    print_size_note(p);
    print_updates_note(p);
  }
  if (p.update > 0) say("resuming after update {}\n", p.update);
}

void TrainScreen::on_update(const train::UpdateReport& report) {
  if (!training_) training_.emplace(label_, report.updates, "tokens");
  tokens_ += report.target_tokens;
  std::string status = fmt::format("epoch {} loss {:.3f}", report.epoch + 1, report.loss);
  if (report.job)
    status += fmt::format(", efficiency {:.0f}%, slowest rank {} (x{:.2f})", 100 * report.job->efficiency,
                          report.job->slowest, report.job->slowdown);
  training_->update(report.update, tokens_, status);
}

void TrainScreen::on_validation(const train::ValidationReport& report) {
  if (training_) training_->clear();
  write_report();
  std::string line = report.averaged ? fmt::format("checkpoint averaging {:>7}", short_duration(report.seconds))
                                     : fmt::format("epoch {:>3} update {:>6}  {:>7}  loss {:.3f}", report.epoch,
                                                   report.update, short_duration(report.seconds), report.loss);
  if (report.validation == nullptr) return say_line(line);
  const train::Validation& v = *report.validation;
  line += fmt::format("  valid: perplexity {:.3f}, accuracy {:.1f}%, BLEU {:.1f}, chrF {:.1f}, exact {:.1f}%{}",
                      v.perplexity, 100 * v.accuracy, v.bleu, v.chrf, 100 * v.exact, report.best ? "  best" : "");
  say_line(line);
  for (std::size_t i = 0; i < std::min(samples_, v.samples.size()); ++i) {
    const train::Sample& sample = v.samples[i];
    say("    {}\n    -> {}\n", sample.source, sample.translation);
  }
}

void TrainScreen::on_divergence(const train::Divergence& d) {
  if (training_) training_->clear();
  say("{}; back to update {}, with {:.2g} times training.learning_rate\n", describe_divergence(d.report), *d.back_to,
      d.rate_factor);
}

// A failure to write the report must not stop the run.
void TrainScreen::write_report() {
  has_report_ = false;
  try {
    report_.write();
    has_report_ = true;
  } catch (const Error& error) {
    say("the report was not written: {}\n", error.what());
  } catch (const std::exception&) {
    say("the report was not written; later, try: {} report {}\n", program_name(), quote_word(out_));
  }
}

int TrainScreen::finish(const train::RunResult& result) {
  training_.reset();
  if (result.end != train::RunResult::End::was_done) write_report();
  switch (result.end) {
    case train::RunResult::End::stopped:
      say("stopped after update {}; checkpoint saved; resume with: {} train --resume --out {}\n", result.update,
          program_name(), quote_word(resume_out_));
      return interrupted_exit_code();
    case train::RunResult::End::was_done:
      say("the run in {} is complete: update {}, {}; to train longer, give a larger --{}\n", out_, result.update,
          result.reason == "patience" ? "stopped early" : "all " + result.reason + " done", result.reason);
      return 0;
    case train::RunResult::End::done:
      break;
  }
  if (result.reason == "patience")
    say("early stopping: {} in the last {} (--patience)\n",
        metric_ == "perplexity" ? "perplexity did not improve"
                                : fmt::format("neither {} nor perplexity improved", train::metric_label(metric_)),
        patience_ == 1 ? "validation" : counted(patience_, "validation"));
  say("{}: {}/model.safetensors{}\n", result.best ? "best model" : "model", out_,
      has_report_ ? fmt::format("; training report: {}/report.html", out_) : "");
  say("try: echo 'your text' | {} translate {}\n", program_name(), quote_word(out_ + "/model.safetensors"));
  return 0;
}

}  // namespace heed::cli
