#include "model/model.h"

#include <algorithm>
#include <cmath>

#include "kernels/profile.h"
#include "model/guide_run.h"

namespace heed::model {
namespace {

// A uniform number in [-bound, bound].
double uniform(const Random& random, Index i, double bound) {
  return bound * (2.0 * static_cast<double>(random.uniform(static_cast<std::uint64_t>(i))) - 1.0);
}

void put(const Tensor& x, Index i, double value) {
  if (x.type() == DType::f32)
    x.data<float>()[i] = static_cast<float>(value);
  else
    x.data<double>()[i] = value;
}

// Glorot: matrices uniform within sqrt(6 / (in + out)), biases zero. PyTorch: as the parameter was declared.
double initial_bound(const autograd::Parameter& p, Initialization way) {
  const bool bias = p.shape.size() == 1;
  if (way == Initialization::glorot) return bias ? 0 : std::sqrt(6.0 / static_cast<double>(p.rows() + p.columns()));
  return 1 / std::sqrt(static_cast<double>(p.init.fan_in > 0 ? p.init.fan_in : p.columns()));
}

// What each row reads under teacher forcing: the start symbol, then the word before.
Ids inputs_from_reference(Arena& arena, const Packing& packing, Ids labels, Id sos) {
  const auto inputs = arena.array<Id>(labels.size());
  for (std::size_t t = 0; t < packing.active.size(); ++t)
    for (Id b = 0; b < packing.active[t]; ++b)
      inputs[static_cast<std::size_t>(packing.offset[t] + b)] =
          t == 0 ? sos : labels[static_cast<std::size_t>(packing.offset[t - 1] + b)];
  return inputs;
}

// The sentences' rows in the order of their targets' lengths.
SourceRows by_target(Arena& arena, const SourceRows& rows, const Packing& target) {
  const auto begin = arena.array<Id>(target.order.size()), length = arena.array<Id>(target.order.size());
  for (std::size_t b = 0; b < target.order.size(); ++b) {
    const auto sentence = static_cast<std::size_t>(target.order[b]);
    begin[b] = rows.spans.begin[sentence];
    length[b] = rows.spans.length[sentence];
  }
  return {target.order, {begin, length}};
}

}  // namespace

Model::Model(const ModelConfig& config, DType type, const ParameterSource& source)
    : config_(std::make_unique<const ModelConfig>(config)), parameters_(std::make_unique<Parameters>(type)) {
  const ModelConfig& c = *config_;
  check_config(c);
  Parameters& p = *parameters_;
  // A tied embedding is an output layer too: it starts as one, and its gradient is dense.
  const bool all = c.tied == Tying::all, tied = c.tied != Tying::none;
  source_embedding_ =
      p.add("encoder.embedding.weight", {c.vocabulary.source, c.encoder.embedding_size()}, {.normal = !tied}, !all);
  encoder_ = std::make_unique<Encoder>(c, source_embedding_, p);
  target_embedding_ = all ? source_embedding_
                          : p.add("decoder.embedding.weight", {c.vocabulary.target, c.decoder.embedding_size()},
                                  {.normal = !tied}, !tied);
  decoder_ = std::make_unique<Decoder>(c, p);
  const Index width = c.output_width();
  output_.weight = tied ? target_embedding_ : p.add("decoder.out.weight", {c.vocabulary.target, width});
  output_.bias = p.add("decoder.out.bias", {c.vocabulary.target}, {.fan_in = width});
  source(p);
}

void Model::initialize(std::uint64_t seed) {
  for (std::size_t i = 0; i < parameters_->size(); ++i) {
    const autograd::Parameter& p = (*parameters_)[i];
    const Random random(seed, Stream::initialize, static_cast<std::uint32_t>(i));
    const double bound = initial_bound(p, config_->initialization);
    const bool normal = p.init.normal && config_->initialization == Initialization::pytorch;
    for (Index k = 0; k < p.value.elements(); ++k)
      put(p.value, k,
          normal ? static_cast<double>(random.normal(static_cast<std::uint64_t>(k))) : uniform(random, k, bound));
  }
}

void Model::check_source(std::size_t tokens) const {
  const Index most = decoder_->max_source_length();
  check<UsageError>(most == 0 || static_cast<Index>(tokens) <= most,
                    "a source of {} tokens (end of sentence included) is longer than attention.max_length, {}: this "
                    "model's location attention cannot read it",
                    tokens, most);
}

Encoded Model::encode(Tape& tape, std::span<const Ids> sources, const TrainRandom* random) const {
  for (const Ids source : sources) check_source(source.size());
  Encoded encoded = encoder_->encode(tape, sources, random);
  encoded.source.keys = decoder_->keys(tape, encoded.source.states);
  return encoded;
}

// What the decoder reads at each step of a batch: the reference's words, all known beforehand; or, as coins fall, at
// some rows the word that the model itself finds likeliest (scheduled sampling, Bengio et al. 2015).
class Model::NextInput {
 public:
  NextInput(const Model& model, Tape& tape, const Packing& packing, Ids reference, const BatchLossOptions& options,
            std::span<const std::uint32_t> row_keys)
      : model_(model), tape_(tape), packing_(packing), reference_(reference), options_(options), row_keys_(row_keys) {
    if (options.teacher_forcing == 1)
      known_ = target_dropout(tape, model.embed_target(tape, reference), *model.config_, options.random, row_keys);
    else
      coins_ = Random(options.random->seed, Stream::teacher_forcing, options.random->update);
  }

  // The embeddings of all rows, [N,E]; absent unless they are known beforehand.
  Var known() const { return known_; }

  // The embeddings of step t, [n,E], from a run that has done the steps before.
  Var step(std::size_t t, DecoderRun& run) const {
    const Index n = packing_.active[t], row = packing_.offset[t];
    if (known_) return known_.slice_rows(row, n);
    const auto first = static_cast<std::size_t>(row), count = static_cast<std::size_t>(n);
    const auto words = tape_.arena().array<Id>(count);
    std::ranges::copy(reference_.subspan(first, count), words.begin());
    bool all_taught = true;
    for (std::size_t b = 0; t > 0 && b < count; ++b) all_taught = all_taught && taught(t, b);
    if (!all_taught) {
      const Ids own = model_.predictions(tape_, run.readout_now(packing_.offset[t - 1], n));
      for (std::size_t b = 0; b < count; ++b)
        if (!taught(t, b)) words[b] = own[b];
    }
    return target_dropout(tape_, model_.embed_target(tape_, words), *model_.config_, options_.random,
                          row_keys_.subspan(first, count));
  }

 private:
  bool taught(std::size_t t, std::size_t b) const {
    const std::uint64_t coin =
        options_.forcing_per_sentence ? options_.random->sentence_keys[static_cast<std::size_t>(packing_.order[b])] : t;
    return static_cast<double>(coins_.uniform(coin)) < options_.teacher_forcing;
  }

  const Model& model_;
  Tape& tape_;
  const Packing& packing_;
  Ids reference_;
  const BatchLossOptions& options_;
  std::span<const std::uint32_t> row_keys_;
  Var known_;
  Random coins_{0, Stream::teacher_forcing};
};

BatchLoss Model::loss(Tape& tape, const BatchView& batch, const BatchLossOptions& options) const {
  check(batch.source.size() == batch.target.size(), "a batch of {} sources and {} targets", batch.source.size(),
        batch.target.size());
  check(options.teacher_forcing == 1 || options.random != nullptr, "teacher forcing {} needs randomness",
        options.teacher_forcing);
  Arena& arena = tape.arena();
  const TrainRandom* random = options.random;
  kernels::ProfileTimer timer;
  const Encoded encoded = encode(tape, batch.source, random);
  timer.lap(kernels::Profile::encoder);
  BatchLoss result{.target = pack(arena, batch.target)};
  const Packing& packing = result.target;
  const Ids labels = packed_words(arena, packing, batch.target);
  const Ids reference = inputs_from_reference(arena, packing, labels, config_->vocabulary.sos);
  const auto keys =
      random != nullptr ? row_keys(arena, packing, random->sentence_keys) : std::span<const std::uint32_t>{};
  const SourceRows rows = by_target(arena, encoded.rows, packing);
  const int layers = decoder_->layers();
  DecoderState state = decoder_->start(tape, encoded).gather_rows(tape, packing.order, layers);

  const NextInput input(*this, tape, packing, reference, options, keys);
  DecoderRun run(tape, *decoder_, encoded, packing.rows, input.known(), random, keys);
  GuideRun guides(tape, packing, batch.source, batch.guides, options.weight * options.guide_weight);
  for (std::size_t t = 0; t < packing.active.size(); ++t) {
    const Index n = packing.active[t], row = packing.offset[t];
    const DecoderRun::Step step = run.step(row, input.step(t, run), state.slice_rows(0, n, layers), rows.first(n));
    state = step.after;
    guides.step(t, step.weights);
    if (!step.weights || tape.recording()) continue;
    if (!result.weights) result.weights = tape.zeros(packing.rows, step.weights.columns());
    write(tape, result.weights.slice_rows(row, n), step.weights);
  }
  result.guide_loss = guides.loss();
  result.readouts = run.readouts();
  timer.lap(kernels::Profile::decoder);
  result.losses = output_loss(tape, result.readouts, output_.weights(tape), output_.biases(tape), labels,
                              {.smoothing = options.smoothing, .weight = options.weight});
  timer.lap(kernels::Profile::output);
  for (Index i = 0; i < packing.rows; ++i) result.loss += result.losses.number(i, 0);
  return result;
}

}  // namespace heed::model
