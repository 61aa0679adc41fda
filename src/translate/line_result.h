// What a line became: translations with their tokens, scores and attention. Plain values, made from what a search
// found.
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

struct Translation {
  std::string text;                  // one line
  double score = 0;                  // what translations are ordered by
  double log_probability = 0;        // of all its words, the end included
  AttentionMatrix attention;         // what the model read and wrote; the weights where they were asked for
  std::vector<float> probabilities;  // of each token of attention.target
};

struct LineResult {
  std::vector<Translation> translations;  // best first; at least one, unless the work was stopped
  std::vector<Warning> warnings;          // about the best
  // A line that was cut: the chunks' own results, in order, with spans in the whole line and the whole translation. The
  // translations above then have the joined text and tokens, but no weights.
  std::vector<LineResult> chunks;

  bool done() const { return !translations.empty(); }
  const Translation& best() const { return translations.front(); }
};

// A hypothesis as text. `source`: the tokens of the line, without the end symbol. Thread-safe.
Translation make_translation(const TextPipeline& pipeline, std::span<const Token> source, const Hypothesis& hypothesis,
                             const UnknownWords& unknown);

// One chunk of a line that was cut.
struct Chunk {
  LineResult result;
  std::uint32_t offset = 0;     // of its first character in the line
  bool space_in_front = false;  // whether white space parts it from the chunk before
};

// As many translations as every chunk has: each chunk's first, each chunk's second, …. The score is what the search's
// formula makes of the whole, without coverage.
LineResult join_chunks(std::vector<Chunk> chunks, const SearchOptions& options);

// The links between the words of a line and of one of its translations; none where it has no weights.
Alignment word_links(std::string_view line, const LineResult& translated, std::size_t translation);

}  // namespace heed
