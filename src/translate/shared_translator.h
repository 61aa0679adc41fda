// A translator that many threads call at the same time, for servers. The sentences of all calls share the steps of the
// decoder: a worker advances its sentences by one word per step, and sentences that have finished are replaced before
// the next step. Nothing waits for a batch to fill.
//
//   const Translator translator("run/model.safetensors");
//   SharedTranslator shared(translator, {.threads = 2});
//   … shared.translate(requests, options) …   // on any number of threads
//
// Fair: workers take one sentence of each call in turn, so a call with one sentence does not wait for one with
// thousands. The guarantee of Translator holds: a translation depends bit for bit only on the line and the options.
#pragma once

#include <cstdint>
#include <memory>

#include "base/time_histogram.h"
#include "translate/translator.h"

namespace heed::translate {

struct SharedTranslatorOptions {
  int threads = 0;  // workers; 0: one per core
  // How much a worker computes at once: the maximum sum of beam x source tokens over its sentences, where a short
  // sentence counts as 24 tokens. A sentence that exceeds the budget is computed alone.
  std::size_t budget = std::size_t{64} * 5 * 24;
};

class SharedTranslator final : public SentenceTranslator {
 public:
  // Uses the models and the text pipeline of the translator, which must outlive it. InputError if the system cannot
  // start the workers.
  explicit SharedTranslator(const Translator& translator, const SharedTranslatorOptions& options = {});
  // No call may be running.
  ~SharedTranslator() override;

  const TextPipeline& pipeline() const override { return translator_.pipeline(); }
  bool has_attention() const override { return translator_.has_attention(); }
  const std::optional<TrainingLines>& training_lines() const override { return translator_.training_lines(); }

  // Blocks until all results are ready; any number of threads may call it. A request that is stopped or overdue leaves
  // the queue at once, or its worker before the next step. Of the options that apply to a whole call, only on_progress
  // has an effect; it is called on the calling thread.
  std::vector<LineResult> translate(std::span<const TranslateRequest> requests,
                                    const TranslateOptions& options) override;

  // What is queued and running now, and counters since the start.
  struct Statistics {
    std::size_t queued_sentences = 0, queued_tokens = 0;    // source tokens
    std::size_t running_sentences = 0, running_tokens = 0;  // source tokens
    std::uint64_t sentences = 0, stopped = 0;               // finished; stopped before they finished
    std::uint64_t source_tokens = 0, target_tokens = 0;     // of finished sentences
    std::uint64_t steps = 0, step_sentences = 0;  // of all workers; step_sentences / steps is the mean batch size
    std::uint64_t step_cost = 0;                  // of all steps, in units of the budget
    std::size_t budget = 0;
    TimeHistogram wait, decode;  // of finished sentences: until a worker took them, and from then on
    // The part of the budget that a step used on average: from 0 to 1, or more if sentences exceed the budget.
    double fill() const {
      return steps == 0 ? 0 : static_cast<double>(step_cost) / static_cast<double>(steps) / static_cast<double>(budget);
    }
  };
  Statistics statistics() const;

 private:
  class Queue;
  struct Call;
  struct Item;

  const Translator& translator_;
  const TermEncoder term_encoder_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace heed::translate
