#include "decode/greedy.h"

#include <algorithm>

#include "kernels/softmax.h"

namespace heed {
namespace {

// The first of the largest.
Index argmax(const Tensor& x, Index row) {
  if (x.type() == DType::f32)
    return std::max_element(x.row<float>(row), x.row<float>(row) + x.columns()) - x.row<float>(row);
  return std::max_element(x.row<double>(row), x.row<double>(row) + x.columns()) - x.row<double>(row);
}

double number(const Tensor& x, Index row, Index column) {
  return x.type() == DType::f32 ? static_cast<double>(x.row<float>(row)[column]) : x.row<double>(row)[column];
}

}  // namespace

std::vector<Translation> Greedy::translate(std::span<const Ids> sources, Index max_length) {
  const Decoder& decoder = model_.decoder();
  const VocabularyConfig& vocabulary = model_.config().vocabulary;
  const bool location = decoder.max_source_length() > 0;
  source_.clear(Tape::Mode::forward_only);
  const Encoded encoded = model_.encode(source_, sources);
  DecoderState state = decoder.start(source_, encoded);
  std::vector<Translation> results(sources.size());
  std::vector<Id> running, words(sources.size(), static_cast<Id>(vocabulary.sos));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    running.push_back(static_cast<Id>(i));
    results[i].width = location ? decoder.max_source_length() : static_cast<Index>(sources[i].size());
  }
  std::vector<Id> begin, length, kept;
  for (Index t = 0; t < max_length && !running.empty(); ++t) {
    Tape& tape = steps_[t % 2];
    tape.clear(Tape::Mode::forward_only);
    begin.clear(), length.clear(), kept.clear();
    for (const Id sentence : running) {
      begin.push_back(encoded.rows.spans.begin[static_cast<std::size_t>(sentence)]);
      length.push_back(encoded.rows.spans.length[static_cast<std::size_t>(sentence)]);
    }
    const Index n = static_cast<Index>(running.size());
    DecoderRun run(tape, decoder, encoded, n, {}, nullptr, {});
    const DecoderRun::Step step = run.step(0, model_.embed_target(tape, words), state, {running, {begin, length}});
    const Tensor scores = model_.logits(tape, run.readouts()).value;
    kernels::log_softmax_forward(scores, scores);
    for (Index row = 0; row < n; ++row) {
      const Index word = argmax(scores, row);
      Translation& result = results[static_cast<std::size_t>(running[static_cast<std::size_t>(row)])];
      result.words.push_back(static_cast<Id>(word));
      result.score += number(scores, row, word);
      for (Index s = 0; step.weights && s < result.width; ++s)
        result.attention.push_back(static_cast<float>(number(step.weights.value, row, s)));
      if (word != vocabulary.eos) kept.push_back(static_cast<Id>(row));
    }
    state = step.after;
    if (kept.size() < running.size()) state = state.gather_rows(tape, kept, decoder.layers());
    for (std::size_t i = 0; i < kept.size(); ++i) running[i] = running[static_cast<std::size_t>(kept[i])];
    running.resize(kept.size());
    words.clear();
    for (const Id sentence : running) words.push_back(results[static_cast<std::size_t>(sentence)].words.back());
  }
  return results;
}

}  // namespace heed
