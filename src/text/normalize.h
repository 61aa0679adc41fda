// Normalization: steps known by name, applied in the order in which a config lists them. Every step works on a line
// whose characters remember where they came from, so tokens keep their spans in the text the user wrote.
// A Normalizer is immutable: use one from any number of threads. Every step takes linear time on every input.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/unicode.h"

namespace heed::text {

struct NormalizationStep;

// The names of all steps.
std::vector<std::string> normalization_steps();

class Normalizer {
 public:
  Normalizer() = default;
  // `language` (two letters, may be empty) matters to `punctuation` alone. An unknown step is a UsageError that lists
  // the known ones.
  explicit Normalizer(std::span<const std::string> steps, std::string_view language = "");

  void apply(MappedText& text) const;
  // Without spans.
  std::string apply(std::string_view utf8) const;

 private:
  std::vector<const NormalizationStep*> steps_;
  std::string language_;
};

// The steps themselves; `punctuation` lives in its own file, since its rules are many.
void to_nfc(MappedText& text, std::string_view language);
void to_nfkc(MappedText& text, std::string_view language);
void to_lowercase(MappedText& text, std::string_view language);
void to_casefold(MappedText& text, std::string_view language);
void strip_accents(MappedText& text, std::string_view language);
void separate_punctuation(MappedText& text, std::string_view language);
void letters_only(MappedText& text, std::string_view language);
void collapse_whitespace(MappedText& text, std::string_view language);
void trim_whitespace(MappedText& text, std::string_view language);
void normalize_punctuation(MappedText& text, std::string_view language);

}  // namespace heed::text
