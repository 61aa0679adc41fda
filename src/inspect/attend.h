// The attention of one or several models for one sentence, as `heed attend` and its pages show it.
//
//   const AttendedSentence seen = attend(std::vector{path}, "The old man sees a dog .", {});
//   const std::string svg = viz::heatmap_svg(heatmaps(seen));
//
// The Translator does the tokenization, the splitting of long lines, the search and the forced decoding.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alignment/links.h"
#include "base/options.h"
#include "translate/translator.h"

namespace heed::inspect {

// The maximum number of translations, and of words per step, that step_page() shows.
inline constexpr int kShownTranslations = 5, kShownChoices = 6;

struct AttendOptions {
  translate::TranslateOptions translate;
  std::string target;   // the translation to show if `forced`
  bool forced = false;  // set by resolve() if there is a --target
  bool words = false;   // matrices of words instead of the model's tokens
  std::string gold;     // links of a known alignment, in words; implies by_words()
  int gold_base = 0;    // the index of the first word in `gold`

  bool by_words() const { return words || !gold.empty(); }
};

// The flags, in the groups Translation and Picture.
void declare(Options& o, AttendOptions& v);
// After parsing: sets defaults that depend on other options. UsageError for options that contradict each other. `page`:
// for step_page(), which needs a trace and shows several translations.
void resolve(AttendOptions& v, const Options& options, bool page);

struct AttendedModel {
  std::string path;
  std::shared_ptr<translate::Translator> translator;
  translate::LineResult line;  // matrices, including those of chunks, are of words if by_words()
};

struct AttendedSentence {
  std::string text;
  AttendOptions options;
  alignment::Alignment links;         // of options.gold
  std::vector<AttendedModel> models;  // at least one
};

// Translates a sentence with its attention. UsageError if the sentence has no words, or is too long for forced decoding
// or for gold links.
translate::LineResult attend(translate::Translator& translator, const std::string& sentence,
                             const AttendOptions& options);
// The same with each of several model files. InputError if a file is not a model that can read text, or if gold links
// are malformed; UsageError if they are out of range.
AttendedSentence attend(std::span<const std::string> paths, const std::string& sentence, const AttendOptions& options);

}  // namespace heed::inspect
