// Possible errors that the text layer warns of, besides those of translate/warnings.h: they need the final text, the
// vocabulary and the confidences. Thread-safe.
#pragma once

#include <string_view>

#include "text/spelled_numbers.h"
#include "translate/line_result.h"
#include "translate/pipeline.h"

namespace heed::translate {

// A word whose tokens together are less probable than this has a low confidence,
inline constexpr double kLowWordConfidence = 0.1;
// and so has a translation if the geometric mean over its tokens is lower than this.
inline constexpr double kLowConfidence = 0.35;
// A translation is too short with fewer than a third of the tokens of its source, if that has at least 6; too long with
// more than 2.5 n + 5 for a source of n tokens, or if it ended at the limit of its length.
inline constexpr double kTooShort = 1.0 / 3, kTooLong = 2.5;
// So many words in a row, among them two that begin in lower case, are untranslated if both sides have them.
inline constexpr std::size_t kUntranslated = 4;

// Adds warnings about the best translation of a sentence. `numbers`: in words of the target language; may be null.
void add_text_warnings(LineResult& result, std::string_view sentence, const TextPipeline& pipeline,
                       const text::SpelledNumbers* numbers);

}  // namespace heed::translate
