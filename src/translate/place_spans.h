// Where the protected spans of a sentence belong in its translation. Thread-safe.
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

// What a model reads instead of a protected span.
enum class SpanForm : std::uint8_t {
  unchanged,    // the span itself
  placeholder,  // a placeholder token, which the model has learned to copy
  stand_in,     // a made-up word, such as XY
  left_out,     // nothing
};

// A protected span of the sentence and what the model reads instead.
struct SpanItem {
  text::ProtectedSpan span;  // in the sentence
  std::u32string text;
  SpanForm form = SpanForm::unchanged;
  char32_t token = 0;  // if SpanForm::placeholder
};

// Everything that place_spans() needs to know besides the translation.
struct SpanTask {
  std::span<const SpanItem> items;                // in the order of the sentence
  std::u32string_view stand_in, unknown;          // the made-up word; the symbol for unknown words
  const text::SpelledNumbers* numbers = nullptr;  // spelled-out numbers of the target language; may be null
  std::uint32_t fixed = 0;                        // length of the prefix of the translation, which must not change
  std::span<const std::uint32_t> breaks = {};     // where the translations of chunks begin
  std::span<const text::Span> terms = {};         // in the translation, in any order; they must not change
};

// Where a protected span goes in the translation.
struct SpanPlace {
  text::Span at;            // what the span replaces; empty: it is inserted
  bool is_written = false;  // the translation already has it here
  bool is_guess = false;    // nothing in the translation was aligned to it
};

struct SpanPlaces {
  std::vector<SpanPlace> items;     // one per item, none overlapping another
  std::vector<text::Span> removed;  // what the model made up: stand-ins and spans that are not in the sentence
};

// `map`: the tokens, with spans in the sentence and in `translation`. Without weights, spans keep their order.
SpanPlaces place_spans(const SpanTask& task, const text::AttentionMatrix& map, std::u32string_view translation);

}  // namespace heed::translate
