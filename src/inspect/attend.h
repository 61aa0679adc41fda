// One sentence through one or several models, and what they attended to: what `heed attend`, its pages and a server
// show.
//
//   const AttendedSentence seen = attend(std::vector{path}, "The old man sees a dog .", {});
//   const std::string svg = viz::heatmap_svg(heatmaps(seen));
//
// Tokenizing, chunks of long lines, search and forced decoding are the Translator's.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alignment/links.h"
#include "base/options.h"
#include "translate/translator.h"

namespace heed::inspect {

struct AttendOptions {
  translate::TranslateOptions translate;
  std::string target;   // the translation to follow instead of a search, if `forced`
  bool forced = false;  // set by resolve() if a target was given
  bool words = false;   // matrices by words instead of the tokens that the model reads and writes
  std::string gold;     // links of a known alignment, in words: by_words() is then true
  int gold_base = 0;    // what the first word is counted as in `gold`

  bool by_words() const { return words || !gold.empty(); }
};

// The flags, under the titles Translation and Picture.
void declare(Options& o, AttendOptions& v);
// After parsing: defaults that depend on other options, and a UsageError for options that contradict each other.
// `page`: whether the reader is to choose among translations and to see the decoder work, which needs its trace.
void resolve(AttendOptions& v, const Options& given, bool page);

struct AttendedModel {
  std::string path;
  std::shared_ptr<translate::Translator> translator;
  translate::LineResult line;  // its matrices by words if that was asked for, those of its chunks too
};

struct AttendedSentence {
  std::string text;
  AttendOptions options;
  alignment::Alignment links;         // of options.gold
  std::vector<AttendedModel> models;  // at least one
};

// UsageError if the sentence has no words, or is too long to follow a given translation through it.
translate::LineResult attend(translate::Translator& translator, const std::string& sentence,
                             const AttendOptions& options);
// The same with every model. InputError if a file is not a model or cannot be given text, or if the links are not ones.
AttendedSentence attend(std::span<const std::string> paths, const std::string& sentence, const AttendOptions& options);

}  // namespace heed::inspect
