// An attention matrix as JSON, and back. All functions are thread-safe.
#pragma once

#include <span>
#include <string_view>

#include "base/json.h"
#include "text/attention_matrix.h"

namespace heed::text {

// Rounds to the nearest multiple of 1 / steps: by default to six decimal places, to keep JSON short.
double rounded(double value, double steps = 1e6);

Json span_json(const Span& span);                                         // [from, to], in characters
Json spans_json(std::span<const Token> tokens);                           // [[from, to], …]
Json weights_json(const AttentionMatrix& attention, double steps = 1e6);  // [t][s]; null if there are none

// {"source":[…],"source_spans":[[from,to],…],"target":[…],"target_spans":[…],"attention":[[…],…]}
Json attention_json(const AttentionMatrix& attention);

// Reads "source", "target" and "attention" (absent or null: no weights) of such an object; tokens get no spans. A
// weight of null, which dump_json() writes for NaN, becomes 0. Anything else is an InputError that begins with `where`.
AttentionMatrix attention_from_json(const Json& json, std::string_view where);

}  // namespace heed::text
