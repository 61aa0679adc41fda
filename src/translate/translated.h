// What a line became: candidates with their tokens, scores and attention. Plain values, made from what a search found.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alignment/links.h"
#include "search/search.h"
#include "text/attention_matrix.h"
#include "translate/pipeline.h"
#include "translate/unknown_words.h"
#include "translate/warnings.h"

namespace heed {

struct Candidate {
  std::string text;                  // one line
  double score = 0;                  // what candidates are ordered by
  double log_probability = 0;        // of all its words, the end included
  AttentionMatrix map;               // what the model read and wrote; the weights where they were asked for
  std::vector<float> probabilities;  // of each token of map.target
};

struct Translated {
  std::vector<Candidate> candidates;  // best first; at least one, unless the work was stopped
  std::vector<Warning> warnings;      // about the best
  // A line that was cut: the pieces' own results, in order, with spans in the whole line and the whole translation. The
  // candidates above then have the joined text and tokens, but no weights.
  std::vector<Translated> pieces;

  bool done() const { return !candidates.empty(); }
  const Candidate& best() const { return candidates.front(); }
};

// A hypothesis as text. `source`: the tokens of the line, without the end symbol. Thread-safe.
Candidate make_candidate(const TextPipeline& pipeline, std::span<const Token> source, const Hypothesis& hypothesis,
                         const UnknownWords& unknown);

// One piece of a line that was cut.
struct Piece {
  Translated result;
  std::uint32_t offset = 0;     // of its first character in the line
  bool space_in_front = false;  // whether white space parts it from the piece before
};

// As many candidates as every piece has: each piece's first, each piece's second, …. The score is what the search's
// formula makes of the whole, without coverage.
Translated join_pieces(std::vector<Piece> pieces, const SearchOptions& options);

// The links between the words of a line and of one of its candidates; none where it has no weights.
Alignment word_links(std::string_view line, const Translated& translated, std::size_t candidate);

}  // namespace heed
