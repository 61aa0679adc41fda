#include "translate/pipeline.h"

#include <algorithm>
#include <tuple>

#include "base/base64.h"
#include "base/error.h"
#include "base/utf8.h"
#include "text/subword_model.h"

namespace heed::translate {
namespace {

text::Vocabulary read_vocabulary(const model::ModelFile& file, const std::string& path, const char* key,
                                 const char* side, int size) {
  const std::string* text = file.find_metadata(key);
  check<InputError>(
      text != nullptr,
      "{}: the model has no {} vocabulary, so it cannot read text; import it again with --source-vocabulary and "
      "--target-vocabulary",
      path, side);
  const std::string name = fmt::format("{}: the {} vocabulary", path, side);
  const model::VocabularyConfig& ids = file.model->config().vocabulary;
  text::Vocabulary words = text::Vocabulary::parse(*text, {.sos = ids.sos, .eos = ids.eos, .unk = ids.unk}, name);
  check<InputError>(words.size() == size, "{} has {} words, but the model has {}", name, words.size(), size);
  return words;
}

text::SubwordModels read_subwords(const model::ModelFile& file, const std::string& path,
                                  const text::TextConfig& config) {
  if (!config.has_subwords()) return {};
  const auto read = [&](const char* key) {
    const std::string* text = file.find_metadata(key);
    check<InputError>(text != nullptr, "{}: the metadata has no {}, which its tokenizer {} needs", path, key,
                      config.tokenizer);
    const std::string name = fmt::format("{}: {}", path, key);
    std::string model = from_base64(*text, name);
    check<InputError>(!text::check_subword_model(model, name).normalizes,
                      "{} has normalization rules, which no subword model that heed trained has; train the model again",
                      name);
    return model;
  };
  text::SubwordModels models{.source = read(kSourceSubwordsKey), .target = {}};
  models.target = config.subword_joint ? models.source : read(kTargetSubwordsKey);
  return models;
}

}  // namespace

std::string_view without_space_marks(std::string_view token) {
  while (token.starts_with(kSpaceMark)) token.remove_prefix(kSpaceMark.size());
  return token;
}

TextPipeline::TextPipeline(text::TextConfig config, text::SubwordModels subwords)
    : config_(std::move(config)),
      languages_{config_.source_language, config_.target_language},
      subwords_(std::move(subwords)),
      source_tokenizer_(make_tokenizer(config_.source(subwords_.source))),
      target_tokenizer_(make_tokenizer(config_.target(subwords_.target))) {}

void TextPipeline::set_vocabularies(text::Vocabulary source, text::Vocabulary target) {
  source_ = std::move(source);
  target_ = std::move(target);
}

void TextPipeline::set_recorded_languages(const model::RecordedLanguages& recorded) {
  if (languages_.source.empty()) languages_.source = recorded.source;
  if (languages_.target.empty()) languages_.target = recorded.target;
}

Metadata TextPipeline::metadata() const {
  Metadata all = {{text::kTextKey, text_config_to_toml(config_)},
                  {model::kSourceVocabularyKey, source_.serialize()},
                  {model::kTargetVocabularyKey, target_.serialize()}};
  if (config_.has_subwords()) all.emplace_back(kSourceSubwordsKey, to_base64(subwords_.source));
  if (config_.has_subwords() && !config_.subword_joint)
    all.emplace_back(kTargetSubwordsKey, to_base64(subwords_.target));
  return all;
}

bool TextPipeline::reads_like(const TextPipeline& other) const {
  const auto kind = [](const text::TextConfig& c) {
    return std::tie(c.tokenizer, c.source_language, c.target_language, c.normalize);
  };
  return kind(config_) == kind(other.config_) && subwords_.source == other.subwords_.source &&
         subwords_.target == other.subwords_.target && source_ == other.source_ && target_ == other.target_;
}

std::vector<text::TokenId> TextPipeline::encode_prefix(std::string_view prefix) const {
  std::vector<text::TokenId> ids;
  for (const text::Token& token : target_tokenizer_->tokenize(prefix)) {
    const text::TokenId id = target_.id(token.text);
    check<InputError>(id >= 0 && id != target_.special().unk,
                      "the prefix {} contains {}, which the model does not know; use another prefix", in_quotes(prefix),
                      in_quotes(token.text));
    ids.push_back(id);
  }
  return ids;
}

// Detokenizing only inserts or omits spaces between tokens, so each token begins where the previous one ended, after
// spaces. A token that is not found there gets an empty span.
TextPipeline::TargetText TextPipeline::detokenize(std::vector<std::string> tokens) const {
  for (std::string& token : tokens)
    std::ranges::replace_if(
        token, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  TargetText result{.text = target_tokenizer_->detokenize(tokens), .tokens = {}};
  const std::string_view text = result.text;
  std::size_t at = 0;      // in bytes
  std::uint32_t from = 0;  // the same position in characters
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
    result.tokens.push_back({std::move(token), {from, to}});
    from = to;
  }
  return result;
}

TextPipeline read_pipeline(const model::ModelFile& file, const std::string& path) try {
  const std::string* text = file.find_metadata(text::kTextKey);
  const text::TextConfig config =
      text == nullptr ? text::TextConfig{} : text::text_config_from_toml(*text, path + ": heed.text");
  TextPipeline pipeline(config, read_subwords(file, path, config));
  const model::VocabularyConfig& sizes = file.model->config().vocabulary;
  text::Vocabulary source = read_vocabulary(file, path, model::kSourceVocabularyKey, "source", sizes.source);
  pipeline.set_vocabularies(std::move(source),
                            read_vocabulary(file, path, model::kTargetVocabularyKey, "target", sizes.target));
  pipeline.set_recorded_languages(file.recorded_languages());
  return pipeline;
} catch (const UsageError& error) {  // the file is at fault here, not the user
  throw InputError("{}: {}", path, error.what());
}

}  // namespace heed::translate
