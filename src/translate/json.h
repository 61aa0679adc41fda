// A translated line as JSON.
#pragma once

#include <string_view>

#include "text/attention_json.h"
#include "translate/line_result.h"

namespace heed::translate {

// One object: "source" (the line that the spans refer to, with U+FFFD for every invalid byte), "translation", "score",
// "log_probability", "tokens" with "target_spans" and "confidences", "source_tokens" with "source_spans", "attention",
// "words" (of the translation, with spans and confidences), "warnings"; "protected" if the line has protected spans
// (text, kind and both spans of each), "terms" if it has terms of a glossary (text in the translation and both spans of
// each), "nbest" if there are several translations, "pieces" if the line was split into chunks.
Json to_json(std::string_view line, const LineResult& result);

}  // namespace heed::translate
