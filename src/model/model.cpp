#include "model/model.h"

#include <algorithm>
#include <cmath>

#include "kernels/profile.h"

namespace heed::model {
namespace {

// Glorot: matrices uniform within sqrt(6 / (in + out)), biases zero. PyTorch: as the parameter was declared.
double initial_bound(const autograd::Parameter& p, Initialization method) {
  const bool bias = p.shape.size() == 1;
  if (method == Initialization::glorot) return bias ? 0 : std::sqrt(6.0 / static_cast<double>(p.rows() + p.columns()));
  return 1 / std::sqrt(static_cast<double>(p.init.fan_in > 0 ? p.init.fan_in : p.columns()));
}

// What each row reads under teacher forcing: the start symbol, then the previous words.
Ids inputs_from_reference(Arena& arena, const Packing& packing, Ids labels, Id sos) {
  const auto inputs = arena.array<Id>(labels.size());
  packing.for_each_row([&](std::size_t t, std::size_t b, std::size_t row) {
    inputs[row] = t == 0 ? sos : labels[static_cast<std::size_t>(packing.offset[t - 1]) + b];
  });
  return inputs;
}

// The sources' rows in the order of the packed targets.
SourceRows by_target(Arena& arena, const SourceRows& rows, const Packing& target) {
  const auto begin = arena.array<Id>(target.order.size()), length = arena.array<Id>(target.order.size());
  for (std::size_t b = 0; b < target.order.size(); ++b) {
    const auto sentence = static_cast<std::size_t>(target.order[b]);
    begin[b] = rows.spans.begin[sentence];
    length[b] = rows.spans.length[sentence];
  }
  return {target.order, {begin, length}};
}

// The guides of each step; the row of a guide becomes the sorted index of its sentence. Empty without guides.
std::span<const Guides> guides_by_step(Arena& arena, const Packing& target, std::span<const Ids> sources,
                                       std::span<const Guides> guides) {
  if (guides.empty()) return {};
  check(guides.size() == sources.size(), "guides of {} sentences for a batch of {}", guides.size(), sources.size());
  std::size_t count = 0;
  for (std::size_t b = 0; b < target.order.size(); ++b) {
    const auto sentence = static_cast<std::size_t>(target.order[b]);
    const Guides own = guides[sentence];
    check(std::ranges::is_sorted(own, {}, &Guide::row) &&
              (own.empty() || (own.front().row >= 0 && own.back().row < target.length[b])),
          "guides past the end of a sentence, or not in the order of its words");
    for (const Guide& guide : own)
      check(guide.column >= 0 && guide.column < static_cast<Id>(sources[sentence].size()),
            "a guide to word {} of a source of {} words", guide.column, sources[sentence].size());
    count += own.size();
  }
  const auto all = arena.array<Guide>(count);
  const auto steps = arena.array<Guides>(target.active.size());
  auto end = all.begin();
  for (std::size_t t = 0; t < steps.size(); ++t) {
    const auto begin = end;
    for (Id b = 0; b < target.active[t]; ++b) {
      const Guides own = guides[static_cast<std::size_t>(target.order[static_cast<std::size_t>(b)])];
      const auto row = static_cast<Id>(t);
      for (auto guide = std::ranges::lower_bound(own, row, {}, &Guide::row); guide != own.end() && guide->row == row;
           ++guide)
        *end++ = {b, guide->column, guide->weight};
    }
    steps[t] = {begin, end};
  }
  return steps;
}

void add_losses(double& sum, const Tensor& losses) {
  for (Index i = 0; i < losses.rows(); ++i) sum += losses.number(i, 0);
}

}  // namespace

Model::Model(const ModelConfig& config, DType type, const ParameterSource& source)
    : config_(std::make_unique<const ModelConfig>(config)), parameters_(std::make_unique<Parameters>(type)) {
  const ModelConfig& c = *config_;
  check_config(c);
  Parameters& p = *parameters_;
  // A tied embedding is also an output layer: it is initialized as one, and its gradient is dense.
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
    for (Index k = 0; k < p.value.elements(); ++k) {
      const auto index = static_cast<std::uint64_t>(k);
      const double value = normal ? static_cast<double>(random.normal(index))
                                  : bound * (2.0 * static_cast<double>(random.uniform(index)) - 1.0);
      if (p.value.type() == DType::f32)
        p.value.data<float>()[k] = static_cast<float>(value);
      else
        p.value.data<double>()[k] = value;
    }
  }
}

void Model::set_shortlist(std::optional<Shortlist> shortlist) {
  check<UsageError>(!shortlist || static_cast<int>(shortlist->source_words()) == config_->vocabulary.source,
                    "a shortlist for {} source words, but the model has {}", shortlist ? shortlist->source_words() : 0,
                    config_->vocabulary.source);
  shortlist_ = std::move(shortlist);
}

void Model::check_source(std::size_t tokens) const {
  const Index most = decoder_->max_source_length();
  check<UsageError>(
      most == 0 || static_cast<Index>(tokens) <= most,
      "a source of {} tokens (end of sentence included) is longer than attention.max_length, {}, so "
      "location attention cannot read it: raise attention.max_length, or skip such pairs in training with "
      "data.max_length={}",
      tokens, most, most - 1);
}

Encoded Model::encode(Tape& tape, std::span<const Ids> sources, const TrainRandom* random) const {
  for (const Ids source : sources) check_source(source.size());
  Encoded encoded = encoder_->encode(tape, sources, random);
  encoded.source.keys = decoder_->keys(tape, encoded.source.states);
  return encoded;
}

// The decoder's input at each step of a batch: the reference's words, all known in advance; or, with scheduled sampling
// (Bengio et al. 2015), in randomly chosen rows the model's own most probable word.
class Model::NextInput {
 public:
  NextInput(const Model& model, Tape& tape, const Packing& packing, Ids reference, const BatchLossOptions& options,
            const BatchDropout& dropout)
      : model_(model), tape_(tape), packing_(packing), reference_(reference), options_(options), dropout_(dropout) {
    if (options.teacher_forcing == 1) {
      known_ = embed(reference, 0);
      return;
    }
    random_ = Random(options.random->seed, Stream::teacher_forcing, options.random->update);
    if (model.config().dropout.readout > 0) return;  // the loss needs other logits than the choice of words
    const auto rows = tape.arena().array<std::uint8_t>(static_cast<std::size_t>(packing.rows));
    std::ranges::fill(rows, 0);
    logits_ = {tape.arena().tensor(tape.type(), packing.rows, model.config().vocabulary.target), rows};
  }

  // The embeddings of all rows, [N,E]; absent if they are not known in advance.
  Var known() const { return known_; }
  // The logits that were computed to choose words; absent if the loss cannot use them.
  const autograd::KnownLogits& logits() const { return logits_; }

  // The embeddings of step t, [n,E], from a run that has done the previous steps.
  Var step(std::size_t t, DecoderRun& run) const {
    const Index n = packing_.active[t], row = packing_.offset[t];
    if (known_) return known_.slice_rows(row, n);
    const auto count = static_cast<std::size_t>(n);
    const auto words = tape_.arena().array<Id>(count);
    std::ranges::copy(reference_.subspan(static_cast<std::size_t>(row), count), words.begin());
    bool all_forced = true;
    for (std::size_t b = 0; t > 0 && b < count; ++b) all_forced = all_forced && forced(t, b);
    if (!all_forced) {
      const Ids own = predictions(t - 1, n, run);
      for (std::size_t b = 0; b < count; ++b)
        if (!forced(t, b)) words[b] = own[b];
    }
    return embed(words, row);
  }

 private:
  // The most probable words after step t, at least of the first n rows.
  Ids predictions(std::size_t t, Index n, DecoderRun& run) const {
    const Index row = packing_.offset[t];
    if (!logits_) return model_.predictions(tape_, run.readout_now(row, n));
    return predict(tape_, run.readout_now(row, packing_.active[t]), model_.output_.weights(tape_),
                   model_.output_.biases(tape_), logits_, row);
  }

  Var embed(Ids words, Index row) const {
    const Var x = dropout_(tape_, model_.embed_target(tape_, words), DropoutSite::target_words, row);
    return dropout_(tape_, x, DropoutSite::target_embedding, row);
  }

  bool forced(std::size_t t, std::size_t b) const {
    const std::uint64_t index =
        options_.forcing_per_sentence ? options_.random->sentence_keys[static_cast<std::size_t>(packing_.order[b])] : t;
    return static_cast<double>(random_.uniform(index)) < options_.teacher_forcing;
  }

  const Model& model_;
  Tape& tape_;
  const Packing& packing_;
  Ids reference_;
  const BatchLossOptions& options_;
  const BatchDropout& dropout_;
  Var known_;
  autograd::KnownLogits logits_;
  Random random_{0, Stream::teacher_forcing};
};

BatchLoss Model::loss(Tape& tape, const BatchView& batch, const BatchLossOptions& options) const {
  check(batch.source.size() == batch.target.size(), "a batch of {} sources and {} targets", batch.source.size(),
        batch.target.size());
  check(options.teacher_forcing == 1 || options.random != nullptr,
        "teacher forcing with probability {} needs randomness", options.teacher_forcing);
  Arena& arena = tape.arena();
  const TrainRandom* random = options.random;
  kernels::ProfileTimer timer;
  const Encoded encoded = encode(tape, batch.source, random);
  timer.lap(kernels::Profile::encoder);
  BatchLoss result{.target = pack(arena, batch.target)};
  const Packing& packing = result.target;
  const Ids labels = packed_words(arena, packing, batch.target);
  const Ids reference = inputs_from_reference(arena, packing, labels, config_->vocabulary.sos);
  const BatchDropout dropout(arena, config_->dropout, random, packing);
  const SourceRows rows = by_target(arena, encoded.rows, packing);
  DecoderState state = decoder_->start(tape, encoded).gather_rows(tape, packing.order);

  const NextInput input(*this, tape, packing, reference, options, dropout);
  DecoderRun run(tape, *decoder_, encoded, packing.rows, input.known(), dropout);
  const std::span<const Guides> guides = guides_by_step(arena, packing, batch.source, batch.guides);
  for (std::size_t t = 0; t < packing.active.size(); ++t) {
    const Index n = packing.active[t], row = packing.offset[t];
    const DecoderRun::Step step = run.step(row, input.step(t, run), state.slice_rows(0, n), rows.first(n));
    state = step.after;
    if (!guides.empty() && !guides[t].empty()) {
      check<UsageError>(static_cast<bool>(step.weights),
                        "a model without attention cannot be guided by word alignments");
      add_losses(result.guide_loss,
                 guide_attention(tape, step.weights, guides[t], options.weight * options.guide_weight));
    }
    if (!step.weights || tape.recording()) continue;
    if (!result.weights) result.weights = tape.zeros(packing.rows, step.weights.columns());
    write(tape, result.weights.slice_rows(row, n), step.weights);
  }
  result.readouts = run.readouts();
  timer.lap(kernels::Profile::decoder);
  result.losses = output_loss(tape, result.readouts, output_.weights(tape), output_.biases(tape), labels,
                              {.smoothing = options.smoothing, .weight = options.weight, .known = input.logits()});
  timer.lap(kernels::Profile::output);
  add_losses(result.loss, result.losses);
  return result;
}

}  // namespace heed::model
