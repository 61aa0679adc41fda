#include "model/model.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/linear.h"
#include "kernels/profile.h"

namespace heed {
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

}  // namespace

Model::Model(const ModelConfig& config, DType type, const Place& place)
    : config_(std::make_unique<const ModelConfig>(config)), parameters_(std::make_unique<Parameters>(type)) {
  const ModelConfig& c = *config_;
  validate(c);
  Parameters& p = *parameters_;
  const bool all = c.tied == "all", tied = c.tied != "none";
  source_embedding_ = p.add(c.names.source_embedding, {c.vocabulary.source, c.encoder.embedding_size()}, !all);
  encoder_ = std::make_unique<Encoder>(c, source_embedding_, p);
  target_embedding_ = all ? source_embedding_
                          : p.add(c.names.target_embedding, {c.vocabulary.target, c.decoder.embedding_size()}, !tied);
  decoder_ = std::make_unique<Decoder>(c, p);
  Index width = 0;
  for (const std::string& part : c.readout.parts) width += c.part_size(part);
  if (c.readout.tanh) width = c.readout_size();
  output_ = tied ? target_embedding_ : p.add(c.names.output, {c.vocabulary.target, width});
  output_bias_ = p.add(bias_name(c.names.output), {c.vocabulary.target});
  place(p);
}

// PyTorch's way: embeddings normal, everything in a recurrent network uniform within 1 / sqrt(hidden), a linear layer
// and its bias within 1 / sqrt(inputs). Glorot: matrices uniform within sqrt(6 / (in + out)), biases zero.
void Model::initialise(std::uint64_t seed) {
  const bool glorot = config_->initialisation == "glorot";
  const bool tied = config_->tied != "none";
  for (std::size_t i = 0; i < parameters_->size(); ++i) {
    const Parameter& p = (*parameters_)[i];
    const Random random(seed, Stream::initialise, static_cast<std::uint32_t>(i));
    const bool bias = p.shape.size() == 1,
               recurrent = p.name.find("_l") != std::string::npos &&
                           (p.name.find("_ih_") != std::string::npos || p.name.find("_hh_") != std::string::npos);
    const bool table = static_cast<int>(i) == source_embedding_.index || static_cast<int>(i) == target_embedding_.index;
    double bound = 0;
    if (glorot) {
      bound = bias ? 0 : std::sqrt(6.0 / static_cast<double>(p.rows() + p.columns()));
    } else if (recurrent) {
      const int hidden =
          p.name.starts_with(config_->names.encoder + ".") ? config_->encoder.hidden : config_->decoder.hidden;
      bound = 1 / std::sqrt(static_cast<double>(hidden));
    } else if (bias) {
      const Parameter* matrix = nullptr;
      const std::string weight = p.name.substr(0, p.name.size() - 4) + "weight";
      if (const ParameterId id = parameters_->find(weight)) matrix = &(*parameters_)[id];
      bound =
          1 / std::sqrt(static_cast<double>(matrix != nullptr ? matrix->columns() : config_->decoder.embedding_size()));
    } else {
      bound = 1 / std::sqrt(static_cast<double>(p.columns()));
    }
    const bool normal = table && !glorot && !tied;
    for (Index k = 0; k < p.value.elements(); ++k)
      put(p.value, k,
          normal ? static_cast<double>(random.normal(static_cast<std::uint64_t>(k))) : uniform(random, k, bound));
  }
}

Encoded Model::encode(Tape& tape, std::span<const Ids> sources, const Noise* noise) const {
  const Index most = decoder_->max_source_length();
  for (std::size_t i = 0; most > 0 && i < sources.size(); ++i)
    check<UsageError>(
        static_cast<Index>(sources[i].size()) <= most,
        "a source of {} tokens (end of sentence included) is longer than attention.max_length, {}: this model's "
        "location attention cannot read it",
        sources[i].size(), most);
  Encoded encoded = encoder_->encode(tape, sources, noise);
  encoded.source.keys = decoder_->keys(tape, encoded.source.states);
  return encoded;
}

Var Model::logits(Tape& tape, Var readouts) const {
  return linear(tape, readouts, tape.parameter(output_), tape.parameter(output_bias_));
}

// What each row reads: the start symbol, then the word before.
Ids Model::inputs_from_reference(Arena& arena, const Packing& packing, Ids labels) const {
  const auto inputs = arena.array<Id>(labels.size());
  for (std::size_t t = 0; t < packing.active.size(); ++t)
    for (Id b = 0; b < packing.active[t]; ++b)
      inputs[static_cast<std::size_t>(packing.offset[t] + b)] =
          t == 0 ? config_->vocabulary.sos : labels[static_cast<std::size_t>(packing.offset[t - 1] + b)];
  return inputs;
}

// The guides of a batch, step by step as the rows of the attention come.
class GuideRun {
 public:
  GuideRun(Tape& tape, const Packing& packing, const BatchView& batch, double weight) : tape_(tape), weight_(weight) {
    if (batch.guides.empty()) return;
    check(batch.guides.size() == batch.source.size(), "guides of {} sentences for a batch of {}", batch.guides.size(),
          batch.source.size());
    std::size_t count = 0;
    for (const Guides& sentence : batch.guides) count += sentence.size();
    const auto all = tape.arena().array<Guide>(count);
    // Row t of a sentence belongs to step t; there, its sorted place is its row.
    const auto steps = tape.arena().array<Guides>(static_cast<std::size_t>(packing.steps));
    const auto next = tape.arena().array<std::size_t>(static_cast<std::size_t>(packing.batch));
    std::ranges::fill(next, 0);
    count = 0;
    for (std::size_t t = 0; t < steps.size(); ++t) {
      const std::size_t from = count;
      for (std::size_t b = 0; b < static_cast<std::size_t>(packing.active[t]); ++b) {
        const auto place = static_cast<std::size_t>(packing.order[b]);
        const Guides sentence = batch.guides[place];
        for (; next[b] < sentence.size() && sentence[next[b]].row == static_cast<Id>(t); ++next[b]) {
          const Guide& guide = sentence[next[b]];
          check(guide.column >= 0 && guide.column < static_cast<Id>(batch.source[place].size()),
                "a guide to word {} of a source of {}", guide.column, batch.source[place].size());
          all[count++] = {static_cast<Id>(b), guide.column, guide.share};
        }
      }
      steps[t] = all.subspan(from, count - from);
    }
    check(count == all.size(), "guides past the end of a sentence, or not in the order of its words");
    steps_ = steps;
  }

  void step(std::size_t t, Var weights) {
    if (steps_.empty() || steps_[t].empty()) return;
    check<UsageError>(static_cast<bool>(weights), "a model without attention cannot be guided by word alignments");
    const Tensor losses = guide_attention(tape_, weights, steps_[t], weight_);
    for (Index i = 0; i < losses.rows(); ++i) loss_ += losses.number(i, 0);
  }
  double loss() const { return loss_; }

 private:
  Tape& tape_;
  double weight_, loss_ = 0;
  std::span<const Guides> steps_;  // in the arena
};

// Step by step, where a step may read the word that the model itself finds likeliest.
void Model::run_sampled(Tape& tape, DecoderRun& run, DecoderState state, const SourceRows& rows, const Packing& packing,
                        Ids reference, const ForcedOptions& options, std::span<const std::uint32_t> keys,
                        GuideRun& guides) const {
  const Noise& noise = *options.noise;
  const Random coins(noise.seed, Stream::teacher_forcing, noise.update);
  const auto taught = [&](std::size_t t, std::size_t b) {
    const std::uint64_t coin =
        options.coin_a_sentence ? noise.sentence_keys[static_cast<std::size_t>(packing.order[b])] : t;
    return static_cast<double>(coins.uniform(coin)) < options.teacher_forcing;
  };
  const int layers = decoder_->layers();
  for (std::size_t t = 0; t < packing.active.size(); ++t) {
    const Index n = packing.active[t], row = packing.offset[t];
    const auto first = static_cast<std::size_t>(row), count = static_cast<std::size_t>(n);
    const auto words = tape.arena().array<Id>(count);
    std::ranges::copy(reference.subspan(first, count), words.begin());
    bool all_taught = true;
    for (std::size_t b = 0; t > 0 && b < count; ++b) all_taught = all_taught && taught(t, b);
    if (!all_taught) {
      const Tensor read = run.readout_now(packing.offset[t - 1], n);
      const Ids own = predict(tape, read, tape.parameter(output_), tape.parameter(output_bias_));
      for (std::size_t b = 0; b < count; ++b)
        if (!taught(t, b)) words[b] = own[b];
    }
    const Var embedded = target_dropout(tape, embed_target(tape, words), *config_, &noise, keys.subspan(first, count));
    const DecoderRun::Step step = run.step(row, embedded, state.slice_rows(0, n, layers), rows.first(n));
    state = step.after;
    guides.step(t, step.weights);
  }
}

Forced Model::forced(Tape& tape, const BatchView& batch, const ForcedOptions& options) const {
  check(batch.source.size() == batch.target.size(), "a batch of {} sources and {} targets", batch.source.size(),
        batch.target.size());
  check(options.teacher_forcing == 1 || options.noise != nullptr, "teacher forcing {} needs noise",
        options.teacher_forcing);
  Arena& arena = tape.arena();
  const Noise* noise = options.noise;
  kernels::ProfileTimer timer;
  const Encoded encoded = encode(tape, batch.source, noise);
  timer.lap(kernels::Profile::encoder);
  Forced result{.target = pack(arena, batch.target)};
  const Packing& packing = result.target;
  const Ids labels = packed_words(arena, packing, batch.target);
  const Ids reference = inputs_from_reference(arena, packing, labels);
  const auto keys =
      noise != nullptr ? row_keys(arena, packing, noise->sentence_keys) : std::span<const std::uint32_t>{};

  // The sentences in the order of their targets' lengths.
  const auto begin = arena.array<Id>(packing.order.size()), length = arena.array<Id>(packing.order.size());
  for (std::size_t b = 0; b < packing.order.size(); ++b) {
    const auto place = static_cast<std::size_t>(packing.order[b]);
    begin[b] = encoded.rows.spans.begin[place];
    length[b] = encoded.rows.spans.length[place];
  }
  const SourceRows rows{packing.order, {begin, length}};
  const int layers = decoder_->layers();
  DecoderState state = decoder_->start(tape, encoded).gather_rows(tape, packing.order, layers);

  const bool known = options.teacher_forcing == 1;
  Var words;
  if (known) {
    words = target_dropout(tape, embed_target(tape, reference), *config_, noise, keys);
  }
  DecoderRun run(tape, *decoder_, encoded, packing.rows, words, noise, keys);
  GuideRun guides(tape, packing, batch, options.weight * options.guide_weight);
  if (!known) run_sampled(tape, run, state, rows, packing, reference, options, keys, guides);
  for (std::size_t t = 0; known && t < packing.active.size(); ++t) {
    const Index n = packing.active[t], row = packing.offset[t];
    const DecoderRun::Step step =
        run.step(row, words.slice_rows(row, n), state.slice_rows(0, n, layers), rows.first(n));
    state = step.after;
    guides.step(t, step.weights);
    if (!step.weights || tape.recording()) continue;
    if (!result.weights) result.weights = tape.zeros(packing.rows, step.weights.columns());
    write(tape, result.weights.slice_rows(row, n), step.weights);
  }
  result.guide_loss = guides.loss();
  result.readouts = run.readouts();
  timer.lap(kernels::Profile::decoder);
  result.losses = output_loss(tape, result.readouts, tape.parameter(output_), tape.parameter(output_bias_), labels,
                              {.smoothing = options.smoothing, .weight = options.weight});
  timer.lap(kernels::Profile::output);
  for (Index i = 0; i < packing.rows; ++i) result.loss += result.losses.number(i, 0);
  return result;
}

Ids Model::likeliest(Tape& tape, const Forced& forced) const {
  return predict(tape, forced.readouts.value, tape.parameter(output_), tape.parameter(output_bias_));
}

}  // namespace heed
