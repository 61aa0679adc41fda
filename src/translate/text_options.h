// The settings of the text layer and their flags.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/options.h"
#include "translate/glossary.h"

namespace heed::translate {

enum class Segmentation : std::uint8_t { sentences, lines, never };
std::vector<std::string> enum_names(Segmentation);
std::vector<std::string> enum_about(Segmentation);

struct TextOptions {
  bool plain = false;  // no text layer at all: every line goes to the model as it is
  Segmentation segment = Segmentation::sentences;
  std::string glossary_file = {};
  GlossaryMatch glossary_match = GlossaryMatch::exact;
  std::shared_ptr<const Glossary> glossary = {};  // for requests without one; null: none
  bool protect = true;                            // keep numbers, addresses, placeholders and other protected spans
  bool copy_names = true;  // what UnknownWords::only_names does, if a word-level model has attention and nothing is set
  bool restore_case = true;     // translate all capitals and headlines in lower case: translate/sentence_case.h
  bool stop_repetition = true;  // search again for a translation that repeats a phrase endlessly
};

// All flags, in the group Text.
void declare(Options& o, TextOptions& v);

// After parsing: UsageError for a glossary with `plain`.
void resolve(const TextOptions& v, const Options& options);
// Reads `glossary_file`, if there is one, for the languages of a model.
void load_glossary(TextOptions& v, const text::TextConfig& model);

}  // namespace heed::translate
