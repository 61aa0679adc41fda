#include "alignment/text_aligner.h"

#include <algorithm>
#include <atomic>

#include "alignment/chain.h"
#include "alignment/lexicon.h"
#include "base/error.h"
#include "base/thread_pool.h"
#include "text/normalise.h"
#include "text/unicode.h"
#include "text/vocabulary.h"

namespace heed {
namespace {

constexpr int kRoundsAlone = 5, kRoundsChained = 5;
constexpr std::size_t kLetters = 6;  // of a word, which its translations are learnt by
constexpr float kLinkFrom = 0.3F;    // how sure both directions must be of a link, as their geometric mean
constexpr std::size_t kBlock = 256;  // pairs that are read side by side before what they say is counted

// Words as numbers, by their first letters.
class Numberer {
 public:
  std::vector<WordNumber> numbers(std::span<const Token> words) {
    std::vector<WordNumber> sentence;
    for (const Token& token : words) {
      const std::u32string letters = decode_utf8(normaliser_.apply(token.text));
      const std::string beginning = encode_utf8(std::u32string_view(letters).substr(0, kLetters));
      sentence.push_back(numbers_.try_emplace(beginning, static_cast<WordNumber>(numbers_.size())).first->second);
    }
    return sentence;
  }

 private:
  Normaliser normaliser_{std::vector<std::string>{"nfc", "lowercase"}};
  WordMap<WordNumber> numbers_;
};

enum class Reading : std::uint8_t { alone, chained };

// What the two directions say of one pair.
struct PairReading {
  std::vector<Lexicon::Cell> cells;        // rows are source words, columns target words
  BothWays<std::vector<float>> from_word;  // likewise
  BothWays<std::vector<float>> from_none;  // by target word; by source word
  BothWays<Steps::Table> steps;
};

// Reads pairs; one a thread.
class Reader {
 public:
  void read(std::span<const WordNumber> source, std::span<const WordNumber> target, const Lexicon& lexicon,
            Reading kind, const BothWays<Steps>& steps, PairReading& result) {
    const std::size_t rows = source.size(), columns = target.size();
    result.cells.resize(rows * columns);
    given_source_.resize(rows * columns);
    given_target_.resize(rows * columns);
    for (std::size_t s = 0; s < rows; ++s)
      for (std::size_t t = 0; t < columns; ++t) {
        const Lexicon::Cell cell = lexicon.cell(source[s], target[t]);
        result.cells[s * columns + t] = cell;
        given_source_[t * rows + s] = lexicon.given_word(cell).forward;
        given_target_[s * columns + t] = lexicon.given_word(cell).backward;
      }
    run(given_source_, target, lexicon.given_none().forward, kind, steps.forward);
    result.from_word.forward.resize(rows * columns);
    for (std::size_t s = 0; s < rows; ++s)
      for (std::size_t t = 0; t < columns; ++t)
        result.from_word.forward[s * columns + t] = chain_.from_word()[t * rows + s];
    result.from_none.forward.assign(chain_.from_none().begin(), chain_.from_none().end());
    result.steps.forward = chain_.steps_taken();
    run(given_target_, source, lexicon.given_none().backward, kind, steps.backward);
    result.from_word.backward.assign(chain_.from_word().begin(), chain_.from_word().end());
    result.from_none.backward.assign(chain_.from_none().begin(), chain_.from_none().end());
    result.steps.backward = chain_.steps_taken();
  }

 private:
  void run(std::span<const float> given_word, std::span<const WordNumber> outputs, const std::vector<float>& none,
           Reading kind, const Steps& steps) {
    given_none_.clear();
    for (const WordNumber word : outputs) given_none_.push_back(none[word]);
    if (kind == Reading::alone)
      chain_.read_alone(given_word, given_none_);
    else
      chain_.read_chained(given_word, given_none_, steps);
  }

  Chain chain_;
  std::vector<float> given_source_, given_target_, given_none_;
};

class TextAligner {
 public:
  TextAligner(NumberedText source, NumberedText target, const TextAlignerOptions& options)
      : source_(std::move(source)),
        target_(std::move(target)),
        lexicon_(source_, target_),
        options_(options),
        pool_(options.threads),
        readers_(static_cast<std::size_t>(options.threads)) {
    for (std::size_t i = 0; i < source_.size(); ++i)
      if (!source_[i].empty()) pairs_.push_back(i);
  }

  std::vector<Alignment> align() {
    for (int round = 0; round < kRoundsAlone; ++round) learn(Reading::alone);
    for (int round = 0; round < kRoundsChained; ++round) learn(Reading::chained);
    std::vector<Alignment> result(source_.size());
    read_all(Reading::chained, [&](std::span<const std::size_t> pairs) {
      for (std::size_t i = 0; i < pairs.size(); ++i) result[pairs[i]] = links(pairs[i], readings_[i]);
    });
    return result;
  }

 private:
  // Reads every pair, a block at a time, and calls use(pairs) with their readings in readings_.
  template <class Use>
  void read_all(Reading kind, Use use) {
    constexpr std::size_t kRounds = kRoundsAlone + kRoundsChained + 1;
    readings_.resize(std::min(kBlock, pairs_.size()));
    for (std::size_t from = 0; from < pairs_.size(); from += kBlock) {
      const auto pairs = std::span(pairs_).subspan(from, std::min(kBlock, pairs_.size() - from));
      std::atomic<std::size_t> next = 0;
      pool_.run(pool_.size(), [&](int worker) {
        for (std::size_t i = next++; i < pairs.size(); i = next++)
          readers_[static_cast<std::size_t>(worker)].read(source_[pairs[i]], target_[pairs[i]], lexicon_, kind, steps_,
                                                          readings_[i]);
      });
      use(pairs);
      const std::size_t done = round_ * pairs_.size() + from + pairs.size();
      if (options_.on_progress) options_.on_progress(done / kRounds, pairs_.size());
    }
    ++round_;
  }

  // One round of learning.
  void learn(Reading kind) {
    Lexicon::Counts counts = lexicon_.no_counts();
    BothWays<Steps::Table> taken = {};
    read_all(kind, [&](std::span<const std::size_t> pairs) {
      count_links(kind, pairs.size(), counts);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const PairReading& reading = readings_[i];
        add(target_[pairs[i]], reading.from_none.forward, counts.given_none.forward);
        add(source_[pairs[i]], reading.from_none.backward, counts.given_none.backward);
        for (std::size_t k = 0; k < taken.forward.size(); ++k) {
          taken.forward[k] += reading.steps.forward[k];
          taken.backward[k] += reading.steps.backward[k];
        }
      }
    });
    lexicon_.update(counts);
    if (kind == Reading::alone) return;
    steps_.forward.update(taken.forward);
    steps_.backward.update(taken.backward);
  }

  // In the order of the pairs, each worker for its share of the cells, so that every sum is the same for any number of
  // workers. Chained, each direction learns from what both agree on.
  void count_links(Reading kind, std::size_t pairs, Lexicon::Counts& counts) {
    pool_.run(pool_.size(), [&](int worker) {
      const auto end = [&](int of) { return lexicon_.cells() * static_cast<std::size_t>(of) / readers_.size(); };
      const std::size_t begin = end(worker), size = end(worker + 1) - begin;
      for (std::size_t i = 0; i < pairs; ++i) {
        const auto& [cells, from_word, from_none, steps] = readings_[i];
        for (std::size_t k = 0; k < cells.size(); ++k) {
          if (cells[k] - begin >= size) continue;
          const float forward = from_word.forward[k], backward = from_word.backward[k], both = forward * backward;
          counts.given_word[cells[k]].forward += static_cast<double>(kind == Reading::alone ? forward : both);
          counts.given_word[cells[k]].backward += static_cast<double>(kind == Reading::alone ? backward : both);
        }
      }
    });
  }

  static void add(std::span<const WordNumber> words, std::span<const float> from_none, std::vector<double>& counts) {
    for (std::size_t i = 0; i < words.size(); ++i) counts[words[i]] += static_cast<double>(from_none[i]);
  }

  Alignment links(std::size_t pair, const PairReading& reading) const {
    Alignment found;
    const std::size_t rows = source_[pair].size(), columns = target_[pair].size();
    for (std::size_t s = 0; s < rows; ++s)
      for (std::size_t t = 0; t < columns; ++t)
        if (reading.from_word.forward[s * columns + t] * reading.from_word.backward[s * columns + t] >=
            kLinkFrom * kLinkFrom)
          found.push_back({static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(t)});
    return found;
  }

  NumberedText source_, target_;
  Lexicon lexicon_;
  TextAlignerOptions options_;
  ThreadPool pool_;
  std::vector<Reader> readers_;        // one a worker
  std::vector<std::size_t> pairs_;     // that are read
  std::vector<PairReading> readings_;  // of a block
  BothWays<Steps> steps_;
  std::size_t round_ = 0;
};

}  // namespace

AlignedTexts align_texts(std::span<const std::string> sources, std::span<const std::string> targets,
                         const Tokeniser& source_words, const Tokeniser& target_words,
                         const TextAlignerOptions& options) {
  check(sources.size() == targets.size(), "{} sources and {} targets", sources.size(), targets.size());
  Numberer source_numbers, target_numbers;
  NumberedText source, target;
  AlignedTexts result;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto source_line = source_words.tokenise(sources[i]), target_line = target_words.tokenise(targets[i]);
    const auto [fewer, more] = std::minmax({source_line.size(), target_line.size()});
    const bool too_long = more > AlignedTexts::kMostWords, read = !too_long && fewer > 0;
    result.too_long += too_long ? 1 : 0;
    source.add(read ? source_numbers.numbers(source_line) : std::vector<WordNumber>{});
    target.add(read ? target_numbers.numbers(target_line) : std::vector<WordNumber>{});
  }
  result.links = TextAligner(std::move(source), std::move(target), options).align();
  return result;
}

}  // namespace heed
