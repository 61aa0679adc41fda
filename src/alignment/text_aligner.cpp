// Expectation maximization over both directions together: in every round, the E-step computes the posteriors of every
// pair (alignment/hmm.h), and the M-step sets translation and jump probabilities to the expected relative frequencies.
// Rounds of IBM model 1 come first; in the rounds of the HMM, the expected count of a link is the product of both
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
constexpr std::size_t kPrefixLength = 6;     // words with the same first letters count as the same word
constexpr float kLinkThreshold = 0.3F;       // for the geometric mean of both directions' posteriors
constexpr std::size_t kPairsPerBlock = 256;  // pairs with posteriors in memory at the same time

enum class AlignmentModel : std::uint8_t { ibm1, hmm };

// Maps words to ids by their first letters.
class WordEncoder {
 public:
  std::vector<WordId> encode(std::span<const text::Token> words) {
    std::vector<WordId> sentence;
    for (const text::Token& token : words) {
      const std::u32string letters = text::decode_utf8(normalizer_.apply(token.text));
      const std::string beginning = text::encode_utf8(std::u32string_view(letters).substr(0, kPrefixLength));
      sentence.push_back(ids_.try_emplace(beginning, static_cast<WordId>(ids_.size())).first->second);
    }
    return sentence;
  }

 private:
  text::Normalizer normalizer_{std::vector<std::string>{"nfc", "lowercase"}};
  text::WordMap<WordId> ids_;
};

// The posteriors of one sentence pair.
struct Posteriors {
  std::vector<Lexicon::Cell> cells;            // [source word][target word]
  PerDirection<std::vector<float>> link;       // [source word][target word]
  PerDirection<std::vector<float>> null_link;  // forward by target word, backward by source word
  PerDirection<JumpDistribution::Table> jumps;
};

// The E-step of one pair. Not thread-safe.
class PairAligner {
 public:
  void run(std::span<const WordId> source, std::span<const WordId> target, const Lexicon& lexicon, AlignmentModel model,
           const PerDirection<JumpDistribution>& jumps, Posteriors& result) {
    const std::size_t rows = source.size(), columns = target.size();
    result.cells.resize(rows * columns);
    emission_.resize(rows * columns);
    for (std::size_t s = 0; s < rows; ++s)
      for (std::size_t t = 0; t < columns; ++t) result.cells[s * columns + t] = lexicon.cell(source[s], target[t]);
    for (const Direction d : kDirections) {
      // The aligner has a row per output word, so the matrices of the forward direction are transposed.
      const auto each = [&](auto use) {
        for (std::size_t s = 0; s < rows; ++s)
          for (std::size_t t = 0; t < columns; ++t)
            use(s * columns + t, d == kForward ? t * rows + s : s * columns + t);
      };
      each([&](std::size_t k, std::size_t at) { emission_[at] = lexicon.translation(result.cells[k])[d]; });
      null_emission_.clear();
      for (const WordId word : d == kForward ? target : source)
        null_emission_.push_back(lexicon.null_translation()[d][word]);
      if (model == AlignmentModel::ibm1)
        aligner_.run_ibm1(emission_, null_emission_);
      else
        aligner_.run_hmm(emission_, null_emission_, jumps[d]);
      result.link[d].resize(rows * columns);
      each([&](std::size_t k, std::size_t at) { result.link[d][k] = aligner_.posterior()[at]; });
      result.null_link[d].assign(aligner_.null_posterior().begin(), aligner_.null_posterior().end());
      result.jumps[d] = aligner_.jump_counts();
    }
  }

 private:
  HmmAligner aligner_;
  std::vector<float> emission_, null_emission_;
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
  // Computes the posteriors of every pair, block by block, and calls use(pairs) while those of a block are in
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
    PerDirection<JumpDistribution::Table> jump_counts = {};
    e_step(model, [&](std::span<const std::size_t> pairs) {
      add_link_counts(model, pairs.size(), counts);
      for (std::size_t i = 0; i < pairs.size(); ++i)
        for (const Direction d : kDirections) {
          const auto words = (d == kForward ? target_ : source_)[pairs[i]];
          const std::vector<float>& null_link = posteriors_[i].null_link[d];
          for (std::size_t w = 0; w < words.size(); ++w)
            counts.null_translation[d][words[w]] += static_cast<double>(null_link[w]);
          for (std::size_t k = 0; k < jump_counts[d].size(); ++k) jump_counts[d][k] += posteriors_[i].jumps[d][k];
        }
    });
    lexicon_.update(counts);
    if (model == AlignmentModel::ibm1) return;
    for (const Direction d : kDirections) jumps_[d].update(jump_counts[d]);
  }

  // Each worker sums over the pairs in order for its range of the cells, so that the sums do not depend on the number
  // of workers. With the HMM, each direction learns from the links that both agree on.
  void add_link_counts(AlignmentModel model, std::size_t pairs, Lexicon::Counts& counts) {
    pool_.run(pool_.size(), [&](int worker) {
      const auto begin_of = [&](int w) { return lexicon_.cells() * static_cast<std::size_t>(w) / aligners_.size(); };
      const std::size_t begin = begin_of(worker), size = begin_of(worker + 1) - begin;
      for (std::size_t i = 0; i < pairs; ++i) {
        const auto& [cells, link, null_link, jumps] = posteriors_[i];
        for (std::size_t k = 0; k < cells.size(); ++k) {
          if (cells[k] - begin >= size) continue;  // unsigned: also if the cell is before the range
          const float forward = link[kForward][k], backward = link[kBackward][k], both = forward * backward;
          const bool independent = model == AlignmentModel::ibm1;
          counts.translation[cells[k]][kForward] += static_cast<double>(independent ? forward : both);
          counts.translation[cells[k]][kBackward] += static_cast<double>(independent ? backward : both);
        }
      }
    });
  }

  Alignment links(std::size_t pair, const Posteriors& posteriors) const {
    Alignment found;
    const std::size_t rows = source_[pair].size(), columns = target_[pair].size();
    for (std::size_t s = 0; s < rows; ++s)
      for (std::size_t t = 0; t < columns; ++t)
        if (posteriors.link[kForward][s * columns + t] * posteriors.link[kBackward][s * columns + t] >=
            kLinkThreshold * kLinkThreshold)
          found.push_back({static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(t)});
    return found;
  }

  EncodedText source_, target_;
  Lexicon lexicon_;
  TextAlignerOptions options_;
  ThreadPool pool_;
  std::vector<PairAligner> aligners_;   // one per worker
  std::vector<std::size_t> pairs_;      // pairs that are not empty
  std::vector<Posteriors> posteriors_;  // of a block of pairs
  PerDirection<JumpDistribution> jumps_;
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
    const bool too_long = more > AlignedTexts::kMaxWords, usable = !too_long && fewer > 0;
    result.too_long += too_long ? 1 : 0;
    source.add(usable ? source_encoder.encode(source_line) : std::vector<WordId>{});
    target.add(usable ? target_encoder.encode(target_line) : std::vector<WordId>{});
  }
  result.links = TextAligner(std::move(source), std::move(target), options).align();
  return result;
}

}  // namespace heed::alignment
