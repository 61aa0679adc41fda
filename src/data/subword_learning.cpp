#include "data/subword_learning.h"

#include <functional>

#include "base/error.h"
#include "data/batches.h"
#include "text/normalize.h"
#include "text/placeholders.h"

namespace heed::data {
namespace {

// The pairs that subwords are learned from: all of a corpus, or evenly spaced ones of a large corpus, so that memory is
// limited. Drops every other pair, and from then on skips twice as many, whenever there are too many.
class EvenSample {
 public:
  struct Pair {
    std::string source, target;
    std::uint32_t copies = 1;
  };

  void add(Pair pair) {
    if (seen_++ % stride_ != 0) return;
    pairs_.push_back(std::move(pair));
    if (pairs_.size() < kMostPairs) return;
    for (std::size_t i = 1; 2 * i < pairs_.size(); ++i) pairs_[i] = std::move(pairs_[2 * i]);
    pairs_.resize((pairs_.size() + 1) / 2);
    stride_ *= 2;
  }

  // Returns the lines one by one, source before target, and false at the end; frees the pairs it has returned.
  std::function<bool(std::string&)> lines(bool use_source, bool use_target) {
    const std::size_t sides = (use_source ? 1 : 0) + (use_target ? 1 : 0);
    return [this, use_source, sides, next = std::size_t{0}, line_of_pair = std::size_t{0}](std::string& line) mutable {
      if (next == pairs_.size()) return false;
      Pair& pair = pairs_[next];
      line = use_source && line_of_pair % sides == 0 ? pair.source : pair.target;
      if (++line_of_pair < sides * pair.copies) return true;
      pair = {};
      ++next;
      line_of_pair = 0;
      return true;
    };
  }

 private:
  static constexpr std::size_t kMostPairs = 400'000;

  std::vector<Pair> pairs_;
  std::size_t seen_ = 0, stride_ = 1;
};

}  // namespace

text::SubwordModels learn_subwords(const CorpusFiles& files, const PairSelection& selection,
                                   const text::TextConfig& config, int threads) {
  if (!config.has_subwords()) return {};
  check<UsageError>(!files.reads_standard_input(),
                    "data.tokenizer is {}: its subwords are learned in a first pass over the text, but standard input "
                    "can be read only once; give files",
                    config.tokenizer);
  text::SubwordTraining training{.model = config.tokenizer, .size = config.subwords, .threads = threads};
  if (config.placeholders) training.symbols = text::placeholder_tokens();
  const text::Normalizer source_normalizer(config.normalize, config.source_language);
  const text::Normalizer target_normalizer(config.normalize, config.target_language);
  const auto learn = [&](bool use_source, bool use_target) {
    PairReader reader(files);
    std::int64_t pairs = 0;
    bool has_some = false;  // pairs of the selected part
    SentencePair pair;
    EvenSample sample;
    while (selection.pairs == 0 || pairs < selection.pairs) {
      if (!reader.next(pair)) {
        check<InputError>(has_some, "data.filters skip all pairs of '{}'; set fewer of them",
                          reader.name(Side::source));
        check<InputError>(pairs > 0,
                          "no pair of '{}' begins with one of data.source_prefixes and data.target_prefixes; allow "
                          "any with --set 'data.source_prefixes=[]' --set 'data.target_prefixes=[]'",
                          reader.name(Side::source));
        break;
      }
      if (!selection.has(reader.pairs() - 1)) continue;
      has_some = true;
      std::string source = source_normalizer.apply(pair.source), target = target_normalizer.apply(pair.target);
      if (judge_prefixes(selection, source, target) != Verdict::kept) continue;
      ++pairs;
      constexpr Random kRandom(0, Stream::weight);
      const std::uint32_t copies = draw_copies(pair.weight, kRandom, reader.pairs() - 1);
      if (!use_source) source.clear();
      if (!use_target) target.clear();
      if (copies > 0) sample.add({std::move(source), std::move(target), copies});
    }
    return train_subwords(sample.lines(use_source, use_target), training);
  };
  if (!config.subword_joint) return {.source = learn(true, false), .target = learn(false, true)};
  const std::string model = learn(true, true);
  return {.source = model, .target = model};
}

}  // namespace heed::data
