// What a line became: translations with their tokens, scores and attention. Plain values, made from what a search
// found.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alignment/links.h"
#include "search/search_job.h"
#include "text/attention_matrix.h"
#include "translate/pipeline.h"
#include "translate/unknown_words.h"
#include "translate/warnings.h"

namespace heed::translate {

// A hypothesis as text.
struct Translation {
  std::string text;                           // one line
  double score = 0;                           // what translations are ordered by
  double log_probability = 0;                 // of all its words, the end included
  text::AttentionMatrix attention;            // what the model read and wrote; the weights if they were asked for
  std::vector<float> probabilities;           // of each token of attention.target
  std::vector<search::TraceStep> trace = {};  // of each token of attention.target, if it was asked for
};

struct LineResult {
  std::vector<Translation> translations;                // best first; at least one, unless the work was stopped
  std::vector<Warning> warnings;                        // about the best, if they were asked for
  std::vector<std::vector<float>> encoder_states = {};  // of each token of attention.source, with a trace
  // A line that was cut: the chunks' own results, in order, with spans in the whole line and the whole translation. The
  // translations above then have the joined text and tokens, but no weights and no trace.
  std::vector<LineResult> chunks = {};

  bool done() const { return !translations.empty(); }
  const Translation& best() const { return translations.front(); }
};

// `source`: the tokens of the line, without the end symbol. Thread-safe.
Translation make_translation(const TextPipeline& pipeline, std::span<const text::Token> source,
                             search::Hypothesis hypothesis, const UnknownWords& unknown);

// One chunk of a line that was cut.
struct Chunk {
  LineResult result;
  std::uint32_t offset = 0;     // of its first character in the line
  bool space_in_front = false;  // whether white space parts it from the chunk before
};

// As many translations as every chunk has: each chunk's first, each chunk's second, …. The score is what the search's
// formula makes of the whole, without coverage.
LineResult join_chunks(std::vector<Chunk> chunks, const search::SearchOptions& options);

// The links between the words of a line and of one of its translations; none if it has no weights.
alignment::Alignment word_links(std::string_view line, const LineResult& result, std::size_t translation);

}  // namespace heed::translate
