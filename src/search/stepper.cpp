#include "search/stepper.h"

#include <algorithm>
#include <cmath>

#include "kernels/softmax.h"

namespace heed {
namespace {

float number(const Tensor& x, Index row, Index column) {
  return static_cast<float>(x.number(row, column));
}

bool in_order(Ids parents, Index rows) {
  if (static_cast<Index>(parents.size()) != rows) return false;
  for (std::size_t i = 0; i < parents.size(); ++i)
    if (parents[i] != static_cast<Id>(i)) return false;
  return true;
}

}  // namespace

Stepper::Stepper(std::span<const Model* const> models) {
  check<UsageError>(!models.empty(), "a search needs a model");
  for (const Model* model : models) models_.emplace_back(*model);
  const VocabularyConfig& first = vocabulary();
  for (const Member& m : models_) {
    const VocabularyConfig& v = m.model.config().vocabulary;
    check<UsageError>(
        v.target == first.target && v.sos == first.sos && v.eos == first.eos,
        "models that decode together must share the target's vocabulary: one has {} words (start {}, end {}), another "
        "{} words (start {}, end {})",
        first.target, first.sos, first.eos, v.target, v.sos, v.eos);
    check<UsageError>(v.source == first.source,
                      "models that decode together must share the source's vocabulary: one has {} words, another {}",
                      first.source, v.source);
  }
}

bool Stepper::attends() const {
  return std::ranges::any_of(models_, [](const Member& m) { return m.model.decoder().has_weights(); });
}

// Location attention has a weight for positions past the sentence too; they are shown where all models have them.
Index Stepper::attention_width(std::size_t source_words) const {
  Index width = 0;
  for (const Member& m : models_) {
    const Decoder& decoder = m.model.decoder();
    if (!decoder.has_weights()) continue;
    const Index own = decoder.max_source_length();
    if (own == 0 || (width != 0 && width != own)) return static_cast<Index>(source_words);
    width = own;
  }
  return width == 0 ? static_cast<Index>(source_words) : width;
}

void Stepper::begin(std::span<const Ids> sources) {
  time_ = 0;
  for (Member& m : models_) {
    m.source.clear(Tape::Mode::forward_only);
    m.encoded = m.model.encode(m.source, sources);
    m.state = m.model.decoder().start(m.source, m.encoded);
  }
}

void Stepper::step_member(Member& m, Ids parents, Ids sentences, Ids words) {
  const Decoder& decoder = m.model.decoder();
  Tape& tape = m.steps[time_ % 2];
  tape.clear(Tape::Mode::forward_only);
  begin_.clear(), length_.clear();
  for (const Id sentence : sentences) {
    begin_.push_back(m.encoded.rows.spans.begin[static_cast<std::size_t>(sentence)]);
    length_.push_back(m.encoded.rows.spans.length[static_cast<std::size_t>(sentence)]);
  }
  if (!in_order(parents, m.state.cells[0].h.rows())) m.state = m.state.gather_rows(tape, parents, decoder.layers());
  DecoderRun run(tape, decoder, m.encoded, static_cast<Index>(words.size()), {}, nullptr, {});
  const DecoderRun::Step step = run.step(0, m.model.embed_target(tape, words), m.state, {sentences, {begin_, length_}});
  m.scores = m.model.logits(tape, run.readouts()).value;
  kernels::log_softmax_forward(m.scores, m.scores);
  m.weights = step.weights ? step.weights.value : Tensor{};
  m.state = step.after;
}

void Stepper::step(Ids parents, Ids sentences, Ids words) {
  for (Member& m : models_) step_member(m, parents, sentences, words);
  ++time_;
  if (models_.size() > 1 || models_.front().model.parameters().type() == DType::f64) return combine();
  scores_ = models_.front().scores;
  weights_ = models_.front().weights;
}

// The mean of the models' probabilities, as logarithms, and of their weights.
void Stepper::combine() {
  mean_.reset();
  const Tensor& first = models_.front().scores;
  const auto count = static_cast<float>(models_.size());
  scores_ = mean_.tensor(DType::f32, first.rows(), first.columns());
  for (Index row = 0; row < first.rows(); ++row) {
    for (Index word = 0; word < first.columns(); ++word) {
      float most = number(first, row, word), sum = 0;
      for (const Member& m : models_) most = std::max(most, number(m.scores, row, word));
      for (const Member& m : models_) sum += std::exp(number(m.scores, row, word) - most);
      scores_.row<float>(row)[word] = models_.size() == 1 ? most : most + std::log(sum / count);
    }
  }
  Index width = 0;
  float attending = 0;
  for (const Member& m : models_) {
    if (!m.weights) continue;
    width = std::max(width, m.weights.columns());
    attending += 1;
  }
  weights_ = width == 0 ? Tensor{} : mean_.zeros(DType::f32, first.rows(), width);
  for (const Member& m : models_) {
    if (!m.weights) continue;
    for (Index row = 0; row < first.rows(); ++row)
      for (Index s = 0; s < m.weights.columns(); ++s)
        weights_.row<float>(row)[s] += number(m.weights, row, s) / attending;
  }
}

}  // namespace heed
