// What may be wrong with a translation, seen from its attention and its words alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/attention_matrix.h"

namespace heed::translate {

struct Warning {
  enum class Kind {
    unattended,  // a source word that nothing of the translation attended to: `span` in the source
    repetition,  // words that are said again and again: `span` in the translation
  };
  Kind kind;
  std::string text;  // the words in question
  text::Span span;
};

std::string_view name_of(Warning::Kind kind);

// Words of less attention than this, summed over the translation, count as unattended; only words with a letter or
// digit are looked at.
inline constexpr float kUnattended = 0.1F;

// Words are what stands between white space. Nothing is said of attention if the matrix has none.
std::vector<Warning> find_warnings(const text::AttentionMatrix& map, std::string_view source,
                                   std::string_view translation);

}  // namespace heed::translate
