// An attention matrix as JSON, and back. Functions without state.
#pragma once

#include <span>
#include <string_view>

#include "base/json.h"
#include "text/attention_matrix.h"

namespace heed::text {

// Six digits behind the point unless asked otherwise: what is measured, without the noise of binary fractions.
double rounded(double value, double unit = 1e6);

Json span_json(const Span& span);  // [from, to], in characters
Json texts_json(std::span<const Token> tokens);
Json spans_json(std::span<const Token> tokens);                          // [[from, to], …]
Json weights_json(const AttentionMatrix& attention, double unit = 1e6);  // [t][s]; null if there are none

// {"source":[…],"source_spans":[[from,to],…],"target":[…],"target_spans":[…],"attention":[[…],…]}
Json attention_json(const AttentionMatrix& attention);

// Reads "source", "target" and "attention" (absent or null: no weights) of such an object; tokens get no spans. A
// weight of null, which is what JSON has for NaN, becomes 0. InputError that begins with `where` for anything else.
AttentionMatrix attention_from_json(const Json& json, std::string_view where);

}  // namespace heed::text
