// Expectation maximization over both directions together, a round per iteration: the E-step computes posteriors of
// every pair (alignment/hmm.h), the M-step sets translation and jump probabilities to the relative frequencies of what
// they expect. First IBM model 1, then the HMM; from there on a link counts by the product of both directions'
// posteriors.
#include "alignment/text_aligner.h"

#include <algorithm>

#include "alignment/hmm.h"
#include "alignment/lexicon.h"
#include "base/error.h"
#include "base/parallel.h"
#include "text/normalize.h"
#include "text/unicode.h"
#include "text/vocabulary.h"

namespace heed::alignment {
namespace {

constexpr int kIbm1Rounds = 5, kHmmRounds = 5;
constexpr std::size_t kLetters = 6;          // of a word, by which its translations are learnt
constexpr float kLinkThreshold = 0.3F;       // for the geometric mean of both directions' posteriors
constexpr std::size_t kPairsPerBlock = 256;  // whose posteriors are in memory at once

enum class AlignmentModel : std::uint8_t { ibm1, hmm };

// Words as ids, by their first letters.
class WordEncoder {
 public:
  std::vector<WordId> encode(std::span<const text::Token> words) {
    std::vector<WordId> sentence;
    for (const text::Token& token : words) {
      const std::u32string letters = text::decode_utf8(normalizer_.apply(token.text));
      const std::string beginning = text::encode_utf8(std::u32string_view(letters).substr(0, kLetters));
      sentence.push_back(ids_.try_emplace(beginning, static_cast<WordId>(ids_.size())).first->second);
    }
    return sentence;
  }

 private:
  text::Normalizer normalizer_{std::vector<std::string>{"nfc", "lowercase"}};
  text::WordMap<WordId> ids_;
};

// Of one pair, both ways.
struct Posteriors {
  std::vector<Lexicon::Cell> cells;        // rows are source words, columns target words
  BothWays<std::vector<float>> link;       // likewise
  BothWays<std::vector<float>> null_link;  // by target word; by source word
  BothWays<JumpDistribution::Table> jumps;
};

// The E-step of one pair; each thread has its own.
class PairAligner {
 public:
  void run(std::span<const WordId> source, std::span<const WordId> target, const Lexicon& lexicon, AlignmentModel model,
           const BothWays<JumpDistribution>& jumps, Posteriors& result) {
    const std::size_t rows = source.size(), columns = target.size();
    result.cells.resize(rows * columns);
    forward_emission_.resize(rows * columns);
    backward_emission_.resize(rows * columns);
    for (std::size_t s = 0; s < rows; ++s)
      for (std::size_t t = 0; t < columns; ++t) {
        const Lexicon::Cell cell = lexicon.cell(source[s], target[t]);
        result.cells[s * columns + t] = cell;
        forward_emission_[t * rows + s] = lexicon.translation(cell).forward;
        backward_emission_[s * columns + t] = lexicon.translation(cell).backward;
      }
    run_direction(forward_emission_, target, lexicon.null_translation().forward, model, jumps.forward);
    result.link.forward.resize(rows * columns);
    for (std::size_t s = 0; s < rows; ++s)
      for (std::size_t t = 0; t < columns; ++t)
        result.link.forward[s * columns + t] = aligner_.posterior()[t * rows + s];
    result.null_link.forward.assign(aligner_.null_posterior().begin(), aligner_.null_posterior().end());
    result.jumps.forward = aligner_.jump_counts();
    run_direction(backward_emission_, source, lexicon.null_translation().backward, model, jumps.backward);
    result.link.backward.assign(aligner_.posterior().begin(), aligner_.posterior().end());
    result.null_link.backward.assign(aligner_.null_posterior().begin(), aligner_.null_posterior().end());
    result.jumps.backward = aligner_.jump_counts();
  }

 private:
  void run_direction(std::span<const float> emission, std::span<const WordId> outputs,
                     const std::vector<float>& null_translation, AlignmentModel model, const JumpDistribution& jumps) {
    null_emission_.clear();
    for (const WordId word : outputs) null_emission_.push_back(null_translation[word]);
    if (model == AlignmentModel::ibm1)
      aligner_.run_ibm1(emission, null_emission_);
    else
      aligner_.run_hmm(emission, null_emission_, jumps);
  }

  HmmAligner aligner_;
  std::vector<float> forward_emission_, backward_emission_, null_emission_;
};

class TextAligner {
 public:
  TextAligner(EncodedText source, EncodedText target, const TextAlignerOptions& options)
      : source_(std::move(source)),
        target_(std::move(target)),
        lexicon_(source_, target_),
        options_(options),
        pool_(options.threads),
        aligners_(static_cast<std::size_t>(options.threads)) {
    for (std::size_t i = 0; i < source_.size(); ++i)
      if (!source_[i].empty()) pairs_.push_back(i);
  }

  std::vector<Alignment> align() {
    for (int round = 0; round < kIbm1Rounds; ++round) train(AlignmentModel::ibm1);
    for (int round = 0; round < kHmmRounds; ++round) train(AlignmentModel::hmm);
    std::vector<Alignment> result(source_.size());
    e_step(AlignmentModel::hmm, [&](std::span<const std::size_t> pairs) {
      for (std::size_t i = 0; i < pairs.size(); ++i) result[pairs[i]] = links(pairs[i], posteriors_[i]);
    });
    return result;
  }

 private:
  // Computes the posteriors of every pair, a block at a time, and calls use(pairs) with those of a block in
  // posteriors_.
  template <class Use>
  void e_step(AlignmentModel model, Use use) {
    constexpr std::size_t kRounds = kIbm1Rounds + kHmmRounds + 1;
    posteriors_.resize(std::min(kPairsPerBlock, pairs_.size()));
    for (std::size_t from = 0; from < pairs_.size(); from += kPairsPerBlock) {
      const auto pairs = std::span(pairs_).subspan(from, std::min(kPairsPerBlock, pairs_.size() - from));
      parallel_for(pool_, pairs.size(), [&](int worker, std::size_t i) {
        aligners_[static_cast<std::size_t>(worker)].run(source_[pairs[i]], target_[pairs[i]], lexicon_, model, jumps_,
                                                        posteriors_[i]);
      });
      use(pairs);
      const std::size_t done = round_ * pairs_.size() + from + pairs.size();
      if (options_.on_progress) options_.on_progress(done / kRounds, pairs_.size());
    }
    ++round_;
  }

  // One round: E-step and M-step.
  void train(AlignmentModel model) {
    Lexicon::Counts counts = lexicon_.zero_counts();
    BothWays<JumpDistribution::Table> jump_counts = {};
    e_step(model, [&](std::span<const std::size_t> pairs) {
      add_link_counts(model, pairs.size(), counts);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Posteriors& posteriors = posteriors_[i];
        add_null_counts(target_[pairs[i]], posteriors.null_link.forward, counts.null_translation.forward);
        add_null_counts(source_[pairs[i]], posteriors.null_link.backward, counts.null_translation.backward);
        for (std::size_t k = 0; k < jump_counts.forward.size(); ++k) {
          jump_counts.forward[k] += posteriors.jumps.forward[k];
          jump_counts.backward[k] += posteriors.jumps.backward[k];
        }
      }
    });
    lexicon_.update(counts);
    if (model == AlignmentModel::ibm1) return;
    jumps_.forward.update(jump_counts.forward);
    jumps_.backward.update(jump_counts.backward);
  }

  // In the order of the pairs, each worker for its range of the cells, so that every sum is the same for any number of
  // workers. With the HMM each direction learns from what both agree on.
  void add_link_counts(AlignmentModel model, std::size_t pairs, Lexicon::Counts& counts) {
    pool_.run(pool_.size(), [&](int worker) {
      const auto end = [&](int of) { return lexicon_.cells() * static_cast<std::size_t>(of) / aligners_.size(); };
      const std::size_t begin = end(worker), size = end(worker + 1) - begin;
      for (std::size_t i = 0; i < pairs; ++i) {
        const auto& [cells, link, null_link, jumps] = posteriors_[i];
        for (std::size_t k = 0; k < cells.size(); ++k) {
          if (cells[k] - begin >= size) continue;
          const float forward = link.forward[k], backward = link.backward[k], both = forward * backward;
          const bool alone = model == AlignmentModel::ibm1;
          counts.translation[cells[k]].forward += static_cast<double>(alone ? forward : both);
          counts.translation[cells[k]].backward += static_cast<double>(alone ? backward : both);
        }
      }
    });
  }

  static void add_null_counts(std::span<const WordId> words, std::span<const float> null_link,
                              std::vector<double>& counts) {
    for (std::size_t i = 0; i < words.size(); ++i) counts[words[i]] += static_cast<double>(null_link[i]);
  }

  Alignment links(std::size_t pair, const Posteriors& posteriors) const {
    Alignment found;
    const std::size_t rows = source_[pair].size(), columns = target_[pair].size();
    for (std::size_t s = 0; s < rows; ++s)
      for (std::size_t t = 0; t < columns; ++t)
        if (posteriors.link.forward[s * columns + t] * posteriors.link.backward[s * columns + t] >=
            kLinkThreshold * kLinkThreshold)
          found.push_back({static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(t)});
    return found;
  }

  EncodedText source_, target_;
  Lexicon lexicon_;
  TextAlignerOptions options_;
  ThreadPool pool_;
  std::vector<PairAligner> aligners_;   // one per worker
  std::vector<std::size_t> pairs_;      // that are not empty
  std::vector<Posteriors> posteriors_;  // of a block of pairs
  BothWays<JumpDistribution> jumps_;
  std::size_t round_ = 0;
};

}  // namespace

AlignedTexts align_texts(std::span<const std::string> sources, std::span<const std::string> targets,
                         const text::Tokenizer& source_words, const text::Tokenizer& target_words,
                         const TextAlignerOptions& options) {
  check(sources.size() == targets.size(), "{} sources and {} targets", sources.size(), targets.size());
  WordEncoder source_encoder, target_encoder;
  EncodedText source, target;
  AlignedTexts result;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto source_line = source_words.tokenize(sources[i]), target_line = target_words.tokenize(targets[i]);
    const auto [fewer, more] = std::minmax({source_line.size(), target_line.size()});
    const bool too_long = more > AlignedTexts::kMostWords, read = !too_long && fewer > 0;
    result.too_long += too_long ? 1 : 0;
    source.add(read ? source_encoder.encode(source_line) : std::vector<WordId>{});
    target.add(read ? target_encoder.encode(target_line) : std::vector<WordId>{});
  }
  result.links = TextAligner(std::move(source), std::move(target), options).align();
  return result;
}

}  // namespace heed::alignment
