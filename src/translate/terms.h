// Terms of a text whose translations are prescribed: the constraints that they put on a search, and how they are
// written into the translation. A term is written exactly as requested, even if the model does not know its words: the
// search uses the symbol for unknown words, whose text is then replaced.
//
// A model continues badly after words that it would never have written itself. If a search has met a constraint only
// with very improbable words, or not at all, another search leaves it out. A required term then replaces what the model
// wrote instead: the words that attended to the term's source words.
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

// A term of a text and its translation, such as a match of a glossary.
struct Term {
  text::Span source;        // characters of the text
  std::string target;       // what the translation must contain, character for character; not empty
  bool required = true;     // false: it is made more probable, but may be missing
  bool is_kept = false;     // `target` is the source text, which is not translated
  bool capitalize = false;  // at the start of the translation, begin with a capital letter
};

// Removes terms and protected spans that overlap. A term gives way to a span that is larger and contains it and, if it
// is translated, to a span that overlaps it only in part; all other spans give way to the term. Both lists are in
// order.
void resolve_overlaps(std::vector<Term>& terms, std::vector<text::ProtectedSpan>& spans);

// Encodes terms with the target vocabulary of a pipeline, which must outlive it. Immutable, thread-safe.
class TermEncoder {
 public:
  explicit TermEncoder(const TextPipeline& pipeline);

  // For SearchJob::joins.
  std::span<const std::uint8_t> joins() const { return joins_; }
  // At least one id; the only special symbol among them is that for unknown words.
  std::vector<Id> encode(const std::string& target) const;

 private:
  const TextPipeline* pipeline_;
  std::vector<std::uint8_t> joins_;
  Id unknown_ = 0;  // for words outside the vocabulary
};

// The terms of a chunk of a text, and the constraints for its search.
struct TermConstraints {
  std::vector<Term> terms = {};                      // with spans in the chunk
  std::vector<std::vector<Id>> words = {};           // of each term's target
  std::vector<search::Constraint> constraints = {};  // refer to `words`
  std::vector<std::size_t> term_of = {};             // by constraint

  TermConstraints() = default;
  // `all`: the terms of the chunk, with spans in the text. `offset`: the position of the chunk in the text. `tokens`:
  // of the chunk, with spans in the chunk.
  TermConstraints(std::span<const Term> all, std::uint32_t offset, std::span<const text::Token> tokens,
                  const TermEncoder& encoder);

  // Removes the constraints that a hypothesis has not met, or only with very improbable words, apart from its first
  // `fixed` words, which were prescribed. False if there are none.
  bool drop_failed(const search::Hypothesis& found, std::size_t fixed);
  // Whether a required term has no constraint, so that attention decides what it replaces.
  bool replaces() const;
};

// Writes the terms into a translation of `text` that was found with their constraints, and fills Translation::terms.
// `starts`: Hypothesis::constraints. A required term without a constraint replaces the words that are linked to its
// source words, but not the first `fixed` tokens; a required term whose constraint was not met is added at the end.
void place_terms(Translation& translation, const TermConstraints& terms, std::span<const Index> starts,
                 std::string_view text, std::size_t fixed = 0);

}  // namespace heed::translate
