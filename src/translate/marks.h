// Moves the marks of a text (text/marked_text.h) to its translation: a mark covers the translation of the words that it
// covers in the text, as attention links them. Without attention, words are linked by their position.
//
// Every mark of the text is in the translation once; it lies within its parent and overlaps no other mark of the same
// parent. A mark over a whole sentence covers the whole translation of the sentence. One without words, and one whose
// words have no translation, is empty and stands next to the translation of its neighbor. Functions without state.
#pragma once

#include <vector>

#include "text/marked_text.h"
#include "translate/line_result.h"

namespace heed::translate {

// What marks with `keep` cover, in characters, in order, without the white space at its ends and without blank ones.
std::vector<text::Span> kept_spans(const text::MarkedText& source);

// `result`: of source.text, with attention if the model has it. Takes the best translation.
text::MarkedText transfer_marks(const text::MarkedText& source, const LineResult& result);

}  // namespace heed::translate
