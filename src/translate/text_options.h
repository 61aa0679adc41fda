// The options of the text layer (translate/text_layer.h) and their flags.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/options.h"
#include "translate/glossary.h"

namespace heed::translate {

class Translator;

enum class Segmentation : std::uint8_t { sentences, lines, never };
std::vector<std::string> enum_names(Segmentation);
std::vector<std::string> enum_about(Segmentation);

struct TextOptions {
  bool plain = false;  // without the text layer: every line goes to the model as it is
  Segmentation segment = Segmentation::sentences;
  std::string glossary_file = {};
  GlossaryMatch glossary_match = GlossaryMatch::exact;
  std::shared_ptr<const Glossary> glossary = {};  // for requests that have none; may be null
  // A model for the opposite direction, with attention, which improves the links between words and thus the transfer of
  // marks. May be null; must outlive the layer.
  const Translator* reverse = nullptr;
  bool protect = true;  // keep numbers, addresses, placeholders and other protected spans
  // Copy unknown names, as UnknownWords::only_names does, if the model reads words and has attention, and unless
  // unknown words are replaced anyway.
  bool copy_names = true;
  bool restore_case = true;     // of capitals and headlines: translate/sentence_case.h
  bool stop_repetition = true;  // search again for a translation that repeats a phrase endlessly
};

// All flags; the caller opens their group.
void declare(Options& o, TextOptions& v);

// After parsing: UsageError for flags that contradict each other.
void resolve(const TextOptions& v, const Options& options);
// Reads `glossary_file`, if it is set, for the languages of a model.
void load_glossary(TextOptions& v, const model::RecordedLanguages& languages);

}  // namespace heed::translate
