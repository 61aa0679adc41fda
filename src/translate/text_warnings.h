// Further warnings about possible errors, from the text layer: unlike those of translate/warnings.h, they need the
// final text, the vocabulary and the confidences. Thread-safe.
#pragma once

#include <string_view>

#include "text/spelled_numbers.h"
#include "translate/line_result.h"
#include "translate/pipeline.h"

namespace heed::translate {

// A word has a low confidence if the product of its tokens' probabilities is below this.
inline constexpr double kLowWordConfidence = 0.1;
// A translation has a low confidence if the geometric mean of its tokens' probabilities is below this.
inline constexpr double kLowConfidence = 0.35;
// A translation is too short if it has fewer than a third as many tokens as its source, and the source has at least 6.
// It is too long if it has more than 2.5 n + 5 tokens for a source of n, or if it reached the length limit.
inline constexpr double kTooShort = 1.0 / 3, kTooLong = 2.5;
// A run of at least this many words counts as untranslated if both sides have it and two of its words begin in lower
// case.
inline constexpr std::size_t kUntranslated = 4;

// Adds warnings about the best translation of a sentence. `numbers`: spelled-out numbers of the target language; may
// be null.
void add_text_warnings(LineResult& result, std::string_view sentence, const TextPipeline& pipeline,
                       const text::SpelledNumbers* numbers);

}  // namespace heed::translate
