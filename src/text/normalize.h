// Normalization: named steps, applied in the order in which a config lists them. Every step works on a MappedText, so
// tokens keep their spans in the text the user wrote.
// A Normalizer is immutable: use one from any number of threads. Every step takes linear time on every input.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/unicode.h"

namespace heed::text {

struct NormalizationStep;

// The names of all steps, and a line about each.
std::vector<std::string> normalization_steps();
std::vector<std::string> normalization_lines();

class Normalizer {
 public:
  Normalizer() = default;
  // `language` (two letters, may be empty) affects only the step `punctuation`. An unknown step is a UsageError that
  // lists the known ones.
  explicit Normalizer(std::span<const std::string> steps, std::string_view language = "");

  void apply(MappedText& text) const;
  std::string apply(std::string_view utf8) const;

 private:
  std::vector<const NormalizationStep*> steps_;
  std::string language_;
};

// The step `lowercase`: Unicode lower case, independent of the language.
void to_lowercase(MappedText& text, std::string_view language = "");
// The step `punctuation`, whose many rules have their own file.
void normalize_punctuation(MappedText& text, std::string_view language);

}  // namespace heed::text
