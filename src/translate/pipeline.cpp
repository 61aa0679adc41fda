#include "translate/pipeline.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "base/base64.h"
#include "base/error.h"
#include "base/utf8.h"
#include "text/normalise.h"
#include "text/subwords.h"

namespace heed {
namespace {

Vocabulary read_vocabulary(const ModelFile& file, const std::string& path, const char* key, const char* side,
                           int size) {
  const std::string* text = file.find_metadata(key);
  check<InputError>(text != nullptr, "{}: the model has no {} vocabulary, so it cannot be given text", path, side);
  const std::string name = fmt::format("{}: the {} vocabulary", path, side);
  const VocabularyConfig& ids = file.model->config().vocabulary;
  Vocabulary words = Vocabulary::parse_lines(*text, {.sos = ids.sos, .eos = ids.eos, .unk = ids.unk}, name);
  check<InputError>(words.size() == size, "{} has {} words, but the model {}", name, words.size(), size);
  return words;
}

SubwordModels read_subwords(const ModelFile& file, const std::string& path, const TextConfig& config) {
  if (!config.has_subwords()) return {};
  const auto read = [&](const char* key) {
    const std::string* text = file.find_metadata(key);
    check<InputError>(text != nullptr, "{}: the metadata has no {}, which its tokeniser {} needs", path, key,
                      config.tokeniser);
    return from_base64(*text, fmt::format("{}: {}", path, key));
  };
  SubwordModels models{.source = read(kSourceSubwordsKey), .target = {}};
  models.target = config.subword_joint ? models.source : read(kTargetSubwordsKey);
  return models;
}

// Hands out the lines of one side, or of both in turn, normalised.
class LearningText {
 public:
  LearningText(const CorpusFiles& files, const PairSelection& selection, const TextConfig& config)
      : reader_(files),
        selection_(selection),
        source_(config.normalise, config.source_language),
        target_(config.normalise, config.target_language) {}

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
  Normaliser source_, target_;
  std::int64_t given_ = 0;
};

}  // namespace

std::string_view without_space_marks(std::string_view token) {
  while (token.starts_with(kSpaceMark)) token.remove_prefix(kSpaceMark.size());
  return token;
}

SubwordModels learn_subwords(const CorpusFiles& files, const PairSelection& selection, const TextConfig& config,
                             int threads) {
  if (!config.has_subwords()) return {};
  check<UsageError>(!files.reads_standard_input(),
                    "data.tokeniser is {}, and subwords are learned before the text is read again, which standard "
                    "input cannot be; give files",
                    config.tokeniser);
  const SubwordTraining training{.model = config.tokeniser, .size = config.subwords, .threads = threads};
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

TextPipeline::TextPipeline(TextConfig config, SubwordModels subwords)
    : config_(std::move(config)),
      subwords_(std::move(subwords)),
      source_tokeniser_(make_tokeniser(config_.source(subwords_.source))),
      target_tokeniser_(make_tokeniser(config_.target(subwords_.target))) {}

void TextPipeline::set_vocabularies(Vocabulary source, Vocabulary target) {
  source_ = std::move(source);
  target_ = std::move(target);
}

Metadata TextPipeline::metadata() const {
  Metadata all = {{kTextKey, text_config_to_toml(config_)},
                  {kSourceVocabularyKey, source_.serialise()},
                  {kTargetVocabularyKey, target_.serialise()}};
  if (config_.has_subwords()) all.emplace_back(kSourceSubwordsKey, to_base64(subwords_.source));
  if (config_.has_subwords() && !config_.subword_joint)
    all.emplace_back(kTargetSubwordsKey, to_base64(subwords_.target));
  return all;
}

bool TextPipeline::reads_like(const TextPipeline& other) const {
  const auto kind = [](const TextConfig& c) {
    return std::tie(c.tokeniser, c.source_language, c.target_language, c.normalise);
  };
  return kind(config_) == kind(other.config_) && subwords_.source == other.subwords_.source &&
         subwords_.target == other.subwords_.target && source_ == other.source_ && target_ == other.target_;
}

std::vector<TokenId> TextPipeline::encode_prefix(std::string_view prefix) const {
  std::vector<TokenId> ids;
  for (const Token& token : target_tokeniser_->tokenise(prefix)) {
    const TokenId id = target_.id(token.text);
    check<InputError>(id >= 0 && id != target_.special().unk,
                      "the prefix {} has {}, which the model does not know; begin otherwise", in_quotes(prefix),
                      in_quotes(token.text));
    ids.push_back(id);
  }
  return ids;
}

// Detokenising only puts spaces between tokens or leaves them out, so each token stands where the one before it ended,
// behind spaces. Should one not be there, its span is empty.
TextPipeline::Written TextPipeline::write(std::vector<std::string> tokens) const {
  for (std::string& token : tokens)
    std::ranges::replace_if(
        token, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  Written written{.text = target_tokeniser_->detokenise(tokens), .tokens = {}};
  const std::string_view text = written.text;
  std::size_t at = 0;      // byte in the text
  std::uint32_t from = 0;  // the same in characters
  for (std::string& token : tokens) {
    const std::string_view shown = token == "@-@" ? "-" : without_space_marks(token);
    std::size_t start = at;
    while (start < text.size() && text[start] == ' ' && !shown.starts_with(' ')) ++start;
    const bool there = !shown.empty() && text.substr(start).starts_with(shown);
    if (there) {
      from += static_cast<std::uint32_t>(start - at);
      at = start + shown.size();
    }
    const std::uint32_t to = there ? from + static_cast<std::uint32_t>(utf8_length(shown)) : from;
    written.tokens.push_back({std::move(token), {from, to}});
    from = to;
  }
  return written;
}

TextPipeline read_pipeline(const ModelFile& file, const std::string& path) try {
  const std::string* text = file.find_metadata(kTextKey);
  const TextConfig config = text == nullptr ? TextConfig{} : text_config_from_toml(*text, path + ": heed.text");
  TextPipeline pipeline(config, read_subwords(file, path, config));
  const VocabularyConfig& sizes = file.model->config().vocabulary;
  Vocabulary source = read_vocabulary(file, path, kSourceVocabularyKey, "source", sizes.source);
  pipeline.set_vocabularies(std::move(source),
                            read_vocabulary(file, path, kTargetVocabularyKey, "target", sizes.target));
  return pipeline;
} catch (const UsageError& error) {  // a file's fault here, not the user's
  throw InputError("{}: {}", path, error.what());
}

}  // namespace heed
