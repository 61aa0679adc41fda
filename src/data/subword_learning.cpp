#include "data/subword_learning.h"

#include <functional>

#include "base/error.h"
#include "text/normalize.h"

namespace heed::data {
namespace {

// The selected pairs of a corpus, normalized.
class LearningText {
 public:
  LearningText(const CorpusFiles& files, const PairSelection& selection, const text::TextConfig& config)
      : reader_(files),
        selection_(selection),
        source_(config.normalize, config.source_language),
        target_(config.normalize, config.target_language) {}

  bool next_pair(std::string& source, std::string& target) {
    SentencePair pair;
    do {
      if ((selection_.pairs > 0 && given_ == selection_.pairs) || !reader_.next(pair)) return false;
      source = source_.apply(pair.source);
      target = target_.apply(pair.target);
    } while (judge_prefixes(selection_, source, target) != Verdict::kept);
    ++given_;
    return true;
  }

 private:
  PairReader reader_;
  const PairSelection& selection_;
  text::Normalizer source_, target_;
  std::int64_t given_ = 0;
};

}  // namespace

text::SubwordModels learn_subwords(const CorpusFiles& files, const PairSelection& selection,
                                   const text::TextConfig& config, int threads) {
  if (!config.has_subwords()) return {};
  check<UsageError>(!files.reads_standard_input(),
                    "data.tokenizer is {}, and subwords are learned before the text is read again, which standard "
                    "input cannot be; give files",
                    config.tokenizer);
  const text::SubwordTraining training{.model = config.tokenizer, .size = config.subwords, .threads = threads};
  std::string source, target;
  const auto learn = [&](const std::function<bool(LearningText&, std::string&)>& next) {
    LearningText text(files, selection, config);
    return train_subwords([&](std::string& line) { return next(text, line); }, training);
  };
  if (config.subword_joint) {
    bool target_next = false;
    const std::string model = learn([&](LearningText& text, std::string& line) {
      if (!target_next && !text.next_pair(source, target)) return false;
      line = target_next ? target : source;
      target_next = !target_next;
      return true;
    });
    return {.source = model, .target = model};
  }
  return {.source = learn([&](LearningText& text, std::string& line) { return text.next_pair(line, target); }),
          .target = learn([&](LearningText& text, std::string& line) { return text.next_pair(source, line); })};
}

}  // namespace heed::data
