#include "data/subword_learning.h"

#include "base/error.h"
#include "data/batches.h"
#include "text/normalize.h"
#include "text/placeholders.h"

namespace heed::data {

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
    std::vector<std::string> lines;  // of the current pair, not yet returned; taken from the back
    const auto next_line = [&](std::string& line) {
      while (lines.empty()) {
        if (selection.pairs > 0 && pairs == selection.pairs) return false;
        if (!reader.next(pair)) {
          check<InputError>(has_some, "data.filters skip all pairs of '{}'; set fewer of them",
                            reader.name(Side::source));
          check<InputError>(pairs > 0,
                            "no pair of '{}' begins with one of data.source_prefixes and data.target_prefixes; allow "
                            "any with --set 'data.source_prefixes=[]' --set 'data.target_prefixes=[]'",
                            reader.name(Side::source));
          return false;
        }
        if (!selection.has(reader.pairs() - 1)) continue;
        has_some = true;
        std::string source = source_normalizer.apply(pair.source), target = target_normalizer.apply(pair.target);
        if (judge_prefixes(selection, source, target) != Verdict::kept) continue;
        ++pairs;
        constexpr Random kRandom(0, Stream::weight);
        for (std::uint32_t n = draw_copies(pair.weight, kRandom, reader.pairs() - 1); n > 0; --n) {
          if (use_target) lines.push_back(target);
          if (use_source) lines.push_back(source);
        }
      }
      line = std::move(lines.back());
      lines.pop_back();
      return true;
    };
    return train_subwords(next_line, training);
  };
  if (!config.subword_joint) return {.source = learn(true, false), .target = learn(false, true)};
  const std::string model = learn(true, true);
  return {.source = model, .target = model};
}

}  // namespace heed::data
