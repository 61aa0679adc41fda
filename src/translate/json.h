// Translations and attention as JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "translate/line_result.h"

namespace heed {

// {"source":[…],"source_spans":[[from,to],…],"target":[…],"target_spans":[…],"attention":[[…],…]}: attention[t][s],
// null where there is none. Spans count characters.
Json attention_json(const AttentionMatrix& map);

// One object for a line, in one line, without its end: "source" (the line), "translation", "score", "log_probability",
// "tokens" with "target_spans" and "confidences", "source_tokens" with "source_spans", "attention", "words" (of the
// translation, with spans and confidences), "warnings"; "nbest" where there are several translations, "pieces" where
// the line was cut.
std::string translated_json(std::string_view line, const LineResult& translated);

}  // namespace heed
