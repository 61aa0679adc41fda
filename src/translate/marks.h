// Transfers the marks of a text (text/marked_text.h) to its translation: a mark covers the translation of the words
// that it covers in the text. Words are linked by attention or, without attention, by position.
//
// The translation has every mark of the text once; a mark lies within its parent and overlaps no other mark of the same
// parent. A mark over a whole sentence covers the whole translation of the sentence. A mark without words, or whose
// words have no translation, is empty and stands next to the translation of its neighbor. Thread-safe.
#pragma once

#include <span>
#include <vector>

#include "text/marked_text.h"
#include "translate/line_result.h"

namespace heed::translate {

// The spans that marks with `keep` cover, in order, without white space at their ends; blank ones are left out.
std::vector<text::Span> kept_spans(const text::MarkedText& source);

// The chunks of a line, or the line itself if it was not split.
std::span<const LineResult> chunks_of(const LineResult& result);

// The marks in the best translation of `result`, the result for source.text, with attention if the model has it.
// `reverse`: empty, or the attention of a model for the opposite direction, which read the translation and predicted
// the text: one matrix for each of chunks_of(result), with spans in the whole translation and the whole text. Words are
// then linked by the mean of both directions. A matrix may lack weights.
text::MarkedText transfer_marks(const text::MarkedText& source, const LineResult& result,
                                std::span<const text::AttentionMatrix> reverse = {});

}  // namespace heed::translate
