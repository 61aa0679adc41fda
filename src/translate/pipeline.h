// Converts between text and a model's ids: the tokenizers and vocabularies of both sides. Read from a model file's
// metadata, or built during training and written to the metadata:
//   heed.text                        the settings (text_config.h)
//   heed.vocabulary.source, .target  one word per line
//   heed.subwords.source, .target    trained subword models in base64; only the first if both sides share one
// Immutable and thread-safe once it has its vocabularies.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_file.h"
#include "text/subwords.h"
#include "text/text_config.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace heed::translate {

// Marks a space at the start of a subword; as a token of a character model, it is the space.
inline constexpr std::string_view kSpaceMark = "\u2581";
// A token's text without its leading space marks.
std::string_view without_space_marks(std::string_view token);

inline constexpr const char* kSourceSubwordsKey = "heed.subwords.source";
inline constexpr const char* kTargetSubwordsKey = "heed.subwords.target";

class TextPipeline {
 public:
  // Has only tokenizers until set_vocabularies().
  explicit TextPipeline(text::TextConfig config, text::SubwordModels subwords = {});
  void set_vocabularies(text::Vocabulary source, text::Vocabulary target);
  Metadata metadata() const;

  const text::TextConfig& config() const { return config_; }
  // The languages of the settings or, if these name none, those that the model file records. Empty: not known.
  const model::RecordedLanguages& languages() const { return languages_; }
  void set_recorded_languages(const model::RecordedLanguages& recorded);
  const text::SubwordModels& subwords() const { return subwords_; }
  const text::Tokenizer& source_tokenizer() const { return *source_tokenizer_; }
  const text::Tokenizer& target_tokenizer() const { return *target_tokenizer_; }
  const text::Vocabulary& source() const { return source_; }
  const text::Vocabulary& target() const { return target_; }
  // Whether both sides must share a vocabulary because they share a subword model.
  bool is_joint() const { return config_.has_subwords() && config_.subword_joint; }

  // Whether both convert text to the same ids, and ids to the same text, on both sides.
  bool reads_like(const TextPipeline& other) const;

  // The ids of a prefix of a translation, without an end symbol. InputError for a word that the model does not know.
  std::vector<text::TokenId> encode_prefix(std::string_view prefix) const;

  // The text of target tokens, and the tokens with their spans in it. Line ends inside a token become spaces, so the
  // text is one line.
  struct TargetText {
    std::string text;
    std::vector<text::Token> tokens;
  };
  TargetText detokenize(std::vector<std::string> tokens) const;

 private:
  text::TextConfig config_;
  model::RecordedLanguages languages_;
  text::SubwordModels subwords_;
  std::unique_ptr<text::Tokenizer> source_tokenizer_, target_tokenizer_;
  text::Vocabulary source_, target_;
};

// Reads the pipeline of a model file. InputError if vocabularies or subwords are missing, damaged or do not fit the
// model; `path` is used in messages.
TextPipeline read_pipeline(const model::ModelFile& file, const std::string& path);

}  // namespace heed::translate
