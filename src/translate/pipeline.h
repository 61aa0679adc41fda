// Between text and a model's ids, in both directions: both sides' tokenizers and vocabularies. Made from a model file's
// metadata, or by training from its own parts, which then write themselves into the metadata:
//   heed.text                        the settings (text_config.h)
//   heed.vocabulary.source, .target  one word per line
//   heed.subwords.source, .target    trained subword models in base64; only the first if one serves both sides
// Constant once it has its vocabularies; then used from any number of threads.
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

// What stands for a space at the start of a subword, or for one as a character.
inline constexpr std::string_view kSpaceMark = "\u2581";
// A token's text without the marks in front of it.
std::string_view without_space_marks(std::string_view token);

inline constexpr const char* kSourceSubwordsKey = "heed.subwords.source";
inline constexpr const char* kTargetSubwordsKey = "heed.subwords.target";

class TextPipeline {
 public:
  // The tokenizers; the vocabularies follow when they are known.
  explicit TextPipeline(text::TextConfig config, text::SubwordModels subwords = {});
  void set_vocabularies(text::Vocabulary source, text::Vocabulary target);
  Metadata metadata() const;

  const text::TextConfig& config() const { return config_; }
  const text::Tokenizer& source_tokenizer() const { return *source_tokenizer_; }
  const text::Tokenizer& target_tokenizer() const { return *target_tokenizer_; }
  const text::Vocabulary& source() const { return source_; }
  const text::Vocabulary& target() const { return target_; }
  // Whether one vocabulary must serve both sides, since their subwords are one.
  bool is_joint() const { return config_.has_subwords() && config_.subword_joint; }

  // Whether the same text becomes the same ids, and ids the same text, on both sides.
  bool reads_like(const TextPipeline& other) const;

  // The ids of how a translation must begin, without an end symbol. InputError for a word the model does not know.
  std::vector<text::TokenId> encode_prefix(std::string_view prefix) const;

  // The text of target tokens, and where in it each stands. Line ends inside a token become spaces: the text is one
  // line.
  struct Written {
    std::string text;
    std::vector<text::Token> tokens;
  };
  Written write(std::vector<std::string> tokens) const;

 private:
  text::TextConfig config_;
  text::SubwordModels subwords_;
  std::unique_ptr<text::Tokenizer> source_tokenizer_, target_tokenizer_;
  text::Vocabulary source_, target_;
};

// What a model file holds of it. InputError if vocabularies or subwords are missing, damaged or do not fit the
// model; `path` for messages.
TextPipeline read_pipeline(const model::ModelFile& file, const std::string& path);

}  // namespace heed::translate
