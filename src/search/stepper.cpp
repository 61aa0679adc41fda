#include "search/stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/elementwise.h"
#include "kernels/softmax.h"

namespace heed::search {
namespace {

float number(const Tensor& x, Index row, Index column) {
  return static_cast<float>(x.number(row, column));
}

bool in_order(Ids parents, Index rows) {
  if (std::ssize(parents) != rows) return false;
  Id next = 0;
  return std::ranges::all_of(parents, [&](Id parent) { return parent == next++; });
}

// The rows `index` of `kept` (all rows if it is null), then those of `fresh`; absent if `fresh` is.
autograd::Var join_rows(autograd::Tape& tape, autograd::Var kept, const Ids* index, autograd::Var fresh) {
  if (!fresh) return fresh;
  if (index != nullptr) kept = gather_rows(tape, kept, *index);
  const autograd::Var joined = tape.variable(kept.rows() + fresh.rows(), fresh.columns());
  write(tape, joined.slice_rows(0, kept.rows()), kept);
  write(tape, joined.slice_rows(kept.rows(), fresh.rows()), fresh);
  return joined;
}

// The sentences `kept` of `old`, then those of `fresh`. Leaves out Encoded::last, which only Decoder::start() reads.
model::Encoded join_sources(autograd::Tape& tape, const model::Encoded& old, Ids kept, const model::Encoded& fresh) {
  const RowRanges &from = old.rows.spans, &more = fresh.rows.spans;
  const std::size_t count = kept.size() + more.begin.size();
  const auto sentence = tape.arena().array<Id>(count), begin = tape.arena().array<Id>(count),
             length = tape.arena().array<Id>(count);
  for (std::size_t i = 0; i < count; ++i) {
    sentence[i] = static_cast<Id>(i);
    length[i] = i < kept.size() ? from.length[static_cast<std::size_t>(kept[i])] : more.length[i - kept.size()];
    begin[i] = i == 0 ? 0 : begin[i - 1] + length[i - 1];
  }
  const auto index = tape.arena().array<Id>(static_cast<std::size_t>(begin[kept.size()]));
  for (std::size_t i = 0; i < kept.size(); ++i)
    std::iota(index.begin() + begin[i], index.begin() + begin[i] + length[i],
              from.begin[static_cast<std::size_t>(kept[i])]);
  const Ids words = index;
  model::Encoded all;
  all.source = {.states = join_rows(tape, old.source.states, &words, fresh.source.states),
                .keys = join_rows(tape, old.source.keys, &words, fresh.source.keys),
                .last = join_rows(tape, old.source.last, &kept, fresh.source.last),
                .longest = std::ranges::max(length)};
  all.rows = {sentence, {begin, length}};
  return all;
}

// The first columns of a row, as floats; empty if the tensor is absent.
std::vector<float> row_of(const Tensor& x, Index row, Index columns = std::numeric_limits<Index>::max()) {
  std::vector<float> numbers;
  for (Index j = 0; j < std::min(columns, x.columns()); ++j) numbers.push_back(number(x, row, j));
  return numbers;
}

// The most probable words; among equals the first. `candidates` as in Beam::Row.
std::vector<TraceStep::Choice> most_probable(std::span<const float> log_probabilities, Ids candidates, int count) {
  std::vector<Id> words(log_probabilities.size());
  std::iota(words.begin(), words.end(), 0);
  const auto value = [&](Id word) { return log_probabilities[static_cast<std::size_t>(word)]; };
  const auto end = words.begin() + std::min<std::ptrdiff_t>(count, std::ssize(words));
  std::partial_sort(words.begin(), end, words.end(),
                    [&](Id a, Id b) { return value(a) != value(b) ? value(a) > value(b) : a < b; });
  std::vector<TraceStep::Choice> best;
  for (auto word = words.begin(); word != end; ++word)
    best.push_back({candidates.empty() ? *word : candidates[static_cast<std::size_t>(*word)], std::exp(value(*word))});
  return best;
}

}  // namespace

Stepper::Stepper(std::span<const model::Model* const> models) {
  check<UsageError>(!models.empty(), "a search needs a model");
  for (const model::Model* model : models) models_.emplace_back(*model);
  const model::VocabularyConfig& first = vocabulary();
  for (const Member& m : models_) {
    const model::VocabularyConfig& v = m.model.config().vocabulary;
    check<UsageError>(
        v.source == first.source && v.target == first.target && v.sos == first.sos && v.eos == first.eos,
        "the models of an ensemble must share their vocabularies: one has {} source and {} target words (start {}, end "
        "{}), another {} and {} (start {}, end {})",
        first.source, first.target, first.sos, first.eos, v.source, v.target, v.sos, v.eos);
  }
}

bool Stepper::has_attention() const {
  return std::ranges::any_of(models_, [](const Member& m) { return m.model.config().attends(); });
}

// Location attention also has weights for positions after the end of the sentence; they are kept if all models have
// equally many.
Index Stepper::attention_width(std::size_t source_words) const {
  Index width = 0;
  for (const Member& m : models_) {
    if (!m.model.config().attends()) continue;
    const Index own = m.model.decoder().max_source_length();
    if (own == 0 || (width != 0 && width != own)) return static_cast<Index>(source_words);
    width = own;
  }
  return width == 0 ? static_cast<Index>(source_words) : width;
}

void Stepper::join_member(Member& m, Ids kept, std::span<const Ids> sources) {
  if (!kept.empty()) m.current = 1 - m.current;
  autograd::Tape& tape = m.sources[m.current];
  tape.clear(autograd::Tape::Mode::forward_only);
  const model::Encoded fresh = m.model.encode(tape, sources);
  const model::DecoderState start = m.model.decoder().start(tape, fresh);
  if (kept.empty()) {
    m.encoded = fresh;
    m.state = start;
    return;
  }
  m.encoded = join_sources(tape, m.encoded, kept, fresh);
  for (std::size_t k = 0; k < m.state.cells.size(); ++k)
    m.state.cells[k] = {join_rows(tape, m.state.cells[k].h, nullptr, start.cells[k].h),
                        join_rows(tape, m.state.cells[k].c, nullptr, start.cells[k].c)};
  m.state.feed = join_rows(tape, m.state.feed, nullptr, start.feed);
}

Id Stepper::join(Ids kept, std::span<const Ids> sources) {
  const Index rows = kept.empty() ? 0 : models_.front().state.cells[0].h.rows();
  for (Member& m : models_) join_member(m, kept, sources);
  return static_cast<Id>(rows);
}

void Stepper::step_member(Member& m, Ids parents, Ids sentences, Ids words) {
  const model::Decoder& decoder = m.model.decoder();
  autograd::Tape& tape = m.steps[time_ % 2];
  tape.clear(autograd::Tape::Mode::forward_only);
  begin_.clear(), length_.clear();
  for (const Id sentence : sentences) {
    begin_.push_back(m.encoded.rows.spans.begin[static_cast<std::size_t>(sentence)]);
    length_.push_back(m.encoded.rows.spans.length[static_cast<std::size_t>(sentence)]);
  }
  if (!in_order(parents, m.state.cells[0].h.rows())) m.state = m.state.gather_rows(tape, parents);
  model::DecoderRun run(tape, decoder, m.encoded, static_cast<Index>(words.size()), {});
  run.set_edit(edit_);
  const autograd::Var embedding = m.model.embed_target(tape, words);
  m.step = run.step(0, embedding, m.state, {sentences, {begin_, length_}});
  const autograd::Var readouts = run.readouts();
  m.scores = score_words(m, tape, readouts);
  m.embedding = embedding.value;
  m.before = m.top(m.state);
  m.readout = readouts.value;
  m.state = m.step.after;
}

// The log-probabilities of the rows' words: [n,V], or the candidates of each row in its first columns.
Tensor Stepper::score_words(Member& m, autograd::Tape& tape, autograd::Var readouts) {
  if (candidates_.empty()) {
    const Tensor scores = m.model.logits(tape, readouts).value;
    kernels::log_softmax_forward(scores, scores);
    return scores;
  }
  std::size_t widest = 0;
  for (Index row = 0; row < readouts.rows(); ++row) widest = std::max(widest, width(row));
  const Tensor scores = tape.arena().tensor(tape.type(), readouts.rows(), static_cast<Index>(widest));
  groups_.clear();
  for (Index row = 0, count = 1; row < readouts.rows(); row += count) {
    const Ids own = candidates(row);
    for (count = 1; row + count < readouts.rows(); ++count) {
      const Ids other = candidates(row + count);
      if (other.data() != own.data() || other.size() != own.size()) break;
    }
    const Tensor y = scores.slice_rows(row, count).slice_columns(0, static_cast<Index>(width(row)));
    const autograd::Var x = readouts.slice_rows(row, count);
    if (own.empty())
      kernels::copy(y, m.model.logits(tape, x).value);
    else
      groups_.push_back({y, x.value, own});
  }
  m.model.logits(tape, groups_);
  for (Index row = 0; row < scores.rows(); ++row) {
    const Tensor own = scores.slice_rows(row, 1).slice_columns(0, static_cast<Index>(width(row)));
    kernels::log_softmax_forward(own, own);
  }
  return scores;
}

void Stepper::step(Ids parents, Ids sentences, Ids words, std::span<const Ids> candidates) {
  candidates_.assign(candidates.begin(), candidates.end());
  if (std::ranges::all_of(candidates_, &Ids::empty)) candidates_.clear();
  for (Member& m : models_) step_member(m, parents, sentences, words);
  ++time_;
  if (models_.size() > 1 || models_.front().model.parameters().type() == DType::f64) return combine();
  scores_ = models_.front().scores;
  weights_ = models_.front().step.weights.value;
}

// The mean of the models' probabilities, as logarithms, and of their weights.
void Stepper::combine() {
  mean_.reset();
  const Tensor& first = models_.front().scores;
  const auto count = static_cast<float>(models_.size());
  scores_ = mean_.tensor(DType::f32, first.rows(), first.columns());
  for (Index row = 0; row < first.rows(); ++row) {
    for (Index word = 0; word < static_cast<Index>(width(row)); ++word) {
      float most = number(first, row, word), sum = 0;
      for (const Member& m : models_) most = std::max(most, number(m.scores, row, word));
      for (const Member& m : models_) sum += std::exp(number(m.scores, row, word) - most);
      scores_.row<float>(row)[word] = models_.size() == 1 ? most : most + std::log(sum / count);
    }
  }
  Index width = 0;
  float attending = 0;
  for (const Member& m : models_) {
    if (!m.step.weights) continue;
    width = std::max(width, m.step.weights.columns());
    attending += 1;
  }
  weights_ = width == 0 ? Tensor{} : mean_.zeros(DType::f32, first.rows(), width);
  for (const Member& m : models_) {
    const Tensor weights = m.step.weights.value;
    for (Index row = 0; row < weights.rows(); ++row)
      for (Index s = 0; s < weights.columns(); ++s) weights_.row<float>(row)[s] += number(weights, row, s) / attending;
  }
}

TraceStep Stepper::trace(Index row, std::size_t source_words, int choices,
                         std::span<const float> log_probabilities) const {
  const Member& m = models_.front();
  const auto positions = static_cast<Index>(source_words);  // location attention has more
  TraceStep step;
  step.choices = most_probable(log_probabilities, candidates(row), choices);
  step.embedding = row_of(m.embedding, row);
  step.before = row_of(m.before, row);
  step.state = row_of(m.top(m.step.after), row);
  step.scores = row_of(m.step.scores, row, positions);
  step.weights = row_of(m.step.weights.value, row, positions);
  step.context = row_of(m.step.context.value, row);
  step.readout = row_of(m.readout, row);
  return step;
}

std::vector<std::vector<float>> Stepper::encoder_states(Id sentence) const {
  const model::Encoded& encoded = models_.front().encoded;
  const auto i = static_cast<std::size_t>(sentence);
  std::vector<std::vector<float>> states;
  for (Id s = 0; s < encoded.rows.spans.length[i]; ++s)
    states.push_back(row_of(encoded.source.states.value, encoded.rows.spans.begin[i] + s));
  return states;
}

}  // namespace heed::search
