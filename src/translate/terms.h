// Terms of a text whose translation is given: how a search meets them, and how they are written in the translation.
// Whatever the model knows, a term that the search has met is written exactly as requested: words that are not in its
// vocabulary are searched for as its unknown symbol, whose text is then replaced.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "search/search_job.h"
#include "text/protected_spans.h"
#include "translate/line_result.h"
#include "translate/pipeline.h"

namespace heed::translate {

// A term to translate, such as a match of a glossary.
struct Term {
  text::Span source;        // characters of the text
  std::string target;       // what the translation must contain, written exactly so; not empty
  bool required = true;     // false: it is made more probable, but may be missing
  bool is_kept = false;     // the source as it is written: do not translate
  bool capitalize = false;  // at the start of the translation it begins with a capital letter
};

// Terms and protected spans do not overlap: a term gives way to a span that it is part of or, if it is to be
// translated, cuts in two; other spans give way to the term. Both in order.
void settle_overlaps(std::vector<Term>& terms, std::vector<text::ProtectedSpan>& spans);

// Encodes terms for the model of a pipeline, which must outlive it. Immutable, thread-safe.
class TermEncoder {
 public:
  explicit TermEncoder(const TextPipeline& pipeline);

  // SearchJob::joins.
  std::span<const std::uint8_t> joins() const { return joins_; }
  // Never empty and without special symbols other than the unknown one.
  std::vector<Id> encode(const std::string& target) const;

 private:
  const TextPipeline* pipeline_;
  std::vector<std::uint8_t> joins_;
  Id stand_in_ = 0;  // for a word that the model has no symbol for
};

// The terms of a text or of a chunk of it, and the constraints of the search for it.
struct TermConstraints {
  std::vector<Term> terms = {};  // spans in the chunk
  std::vector<std::vector<Id>> words = {};
  std::vector<search::Constraint> constraints = {};  // refer to `words`

  TermConstraints() = default;
  // `all`: those of the chunk, with spans in the text. `offset`: of the chunk in the text; the spans of its `tokens`
  // are relative to it.
  TermConstraints(std::span<const Term> all, std::uint32_t offset, std::span<const text::Token> tokens,
                  const TermEncoder& encoder);
};

// Writes the terms into a translation that was found with their constraints, and fills Translation::terms. `starts`:
// Hypothesis::constraints. A required term that was not met is added at the end.
void place_terms(Translation& translation, const TermConstraints& terms, std::span<const Index> starts);

}  // namespace heed::translate
