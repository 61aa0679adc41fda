// An attention matrix as JSON, and what it is made of. Spans count characters.
#pragma once

#include "base/json.h"
#include "text/attention_matrix.h"

namespace heed {

// {"source":[…],"source_spans":[[from,to],…],"target":[…],"target_spans":[…],"attention":[[…],…]}: attention[t][s],
// null if there is none.
Json attention_json(const AttentionMatrix& matrix);

// Six digits behind the point: what is measured, without the noise of binary fractions.
double rounded(double value);
Json span_json(const Span& span);
Json texts_json(std::span<const Token> tokens);
Json spans_json(std::span<const Token> tokens);
Json weights_json(const AttentionMatrix& matrix);

}  // namespace heed
