// Where the protected spans of a sentence belong in its translation. Functions without state.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/attention_matrix.h"
#include "text/protected_spans.h"
#include "text/spelled_numbers.h"

namespace heed::translate {

// What a model reads in the place of a protected span.
enum class SpanForm : std::uint8_t {
  unchanged,    // the span itself
  placeholder,  // a placeholder token, which the model has learned to copy
  stand_in,     // a word
  left_out,     // nothing
};

struct SpanItem {
  text::ProtectedSpan span;  // in the sentence
  std::u32string text;
  SpanForm form = SpanForm::unchanged;
  char32_t token = 0;  // SpanForm::placeholder
};

// Everything that placing needs to know beside the translation.
struct SpanTask {
  std::span<const SpanItem> items;                // in the order of the sentence
  std::u32string_view stand_in, unknown;          // the word for spans, and how the model writes an unknown word
  const text::SpelledNumbers* numbers = nullptr;  // of the target language
  std::uint32_t fixed = 0;                        // the first characters of the translation, which must stay
  std::span<const std::uint32_t> breaks = {};     // characters at which the translations of chunks begin
  std::span<const text::Span> terms = {};         // of the translation, in any order, which must stay
};

struct SpanPlace {
  text::Span at;            // what the span replaces; empty: it is inserted
  bool is_written = false;  // the translation has it here already
  bool is_guess = false;    // nothing in the translation is aligned to it
};

struct SpanPlaces {
  std::vector<SpanPlace> items;     // one per item, none overlapping another
  std::vector<text::Span> removed;  // what the model invented: stand-ins and spans that are not in the sentence
};

// `map`: the tokens with spans in the sentence and in `translation`; without weights, spans keep their order.
SpanPlaces place_spans(const SpanTask& task, const text::AttentionMatrix& map, std::u32string_view translation);

}  // namespace heed::translate
