// Warnings about possible errors in a translation, found from its attention and words alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/attention_matrix.h"

namespace heed::translate {

struct Warning {
  enum class Kind {
    unattended,  // a source word without attention: `span` in the source
    repetition,  // words that are repeated: `span` in the translation
    // These come only from a TextLayer; all but the first are those of translate/text_warnings.h.
    unaligned,       // a protected span whose position in the translation is a guess: `span` in the source
    unknown,         // a source word that the model does not know: `span` in the source
    number,          // a number that is missing in the translation: `span` in the source
    untranslated,    // several words that the translation has unchanged: `span` in the source
    low_confidence,  // words, or the whole translation: `span` in the translation
    too_short,       // for its source: `span` is the whole translation
    too_long,        // likewise
  };
  Kind kind;
  std::string text;  // the words in question
  text::Span span;
};

std::string_view name_of(Warning::Kind kind);
// Whether its span is in the source.
constexpr bool is_about_source(Warning::Kind kind) {
  return kind == Warning::Kind::unattended || kind == Warning::Kind::unaligned || kind == Warning::Kind::unknown ||
         kind == Warning::Kind::number || kind == Warning::Kind::untranslated;
}

// A source word with a letter or digit is unattended if its attention, summed over the translation, is below this.
inline constexpr float kUnattended = 0.1F;

// Finds unattended and repeated words; words are separated by white space. Without weights no word is unattended.
std::vector<Warning> find_warnings(const text::AttentionMatrix& map, std::string_view source,
                                   std::string_view translation);

}  // namespace heed::translate
