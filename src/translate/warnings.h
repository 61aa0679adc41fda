// Possible errors of a translation, found from its attention and words alone.
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
    unaligned,   // a protected span whose position in the translation is a guess: `span` in the source
    // Only from a TextLayer: translate/text_warnings.h.
    unknown,         // a source word that the model does not know: `span` in the source
    number,          // a number that the translation does not have: `span` in the source
    untranslated,    // several words that the translation has unchanged: `span` in the source
    low_confidence,  // words, or the whole translation: `span` in the translation
    too_short,       // for its source; `span`: the translation
    too_long,
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

// Words are separated by white space. A matrix without weights has no unattended words.
std::vector<Warning> find_warnings(const text::AttentionMatrix& map, std::string_view source,
                                   std::string_view translation);

}  // namespace heed::translate
