// The result for one line: translations with their tokens, scores and attention, made from the hypotheses of a search.
//
// A line may be translated in chunks: one per sentence, and several for one that is too long for the model.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alignment/links.h"
#include "search/search_job.h"
#include "text/attention_matrix.h"
#include "text/protected_spans.h"
#include "translate/pipeline.h"
#include "translate/unknown_names.h"
#include "translate/unknown_words.h"
#include "translate/warnings.h"

namespace heed::translate {

// A protected span of the line (text/protected_spans.h) in a translation.
struct KeptSpan {
  std::string text;  // in the line; the translation has the same, or a number in another spelling
  text::SpanKind kind;
  text::Span source, target;
};

// A term of the line whose translation was requested (translate/terms.h), in a translation that has it.
struct TermSpan {
  std::string text;  // in the translation
  text::Span source, target;
};

// A hypothesis as text.
struct Translation {
  std::string text;                           // a single line
  double score = 0;                           // translations are sorted by it
  double log_probability = 0;                 // sum over its tokens, including the end symbol
  text::AttentionMatrix attention;            // the tokens of both sides; the weights if requested
  std::vector<float> probabilities;           // one per token of attention.target
  std::vector<search::TraceStep> trace = {};  // one per token of attention.target, if requested
  std::vector<KeptSpan> kept = {};            // in the order of the line; only set by a TextLayer
  std::vector<TermSpan> terms = {};           // in the order of the line
};

struct LineResult {
  std::vector<Translation> translations;                // best first; empty only if the translation was stopped
  std::vector<Warning> warnings;                        // about the best translation, if requested
  std::vector<std::vector<float>> encoder_states = {};  // one per token of attention.source, with a trace
  // If the line was split: the results of the chunks in order, with spans in the whole line and the whole translation.
  // The translations above then have the joined text and tokens, but no trace, and weights only after join_weights().
  std::vector<LineResult> chunks = {};
  bool too_long = false;  // for the model: the line or a sentence of it was split

  bool done() const { return !translations.empty(); }
  const Translation& best() const { return translations.front(); }
};

// Converts a hypothesis to text. `source`: the tokens of the line, without the end symbol. `names`: what may be copied
// if unknown.only_names is set. Thread-safe.
Translation make_translation(const TextPipeline& pipeline, std::span<const text::Token> source,
                             search::Hypothesis hypothesis, const UnknownWords& unknown,
                             std::span<const UnknownName> names = {});

// A chunk of a line.
struct Chunk {
  LineResult result;
  std::uint32_t offset = 0;    // of its first character in the line
  std::string separator = {};  // what separates it from the previous chunk
};

// Joins the first translations of all chunks, the second translations, and so on, as many as every chunk has.
// Separators are kept only between non-empty texts. The score is hypothesis_score() of the whole without the coverage
// penalty.
LineResult join_chunks(std::vector<Chunk> chunks, const search::SearchOptions& options);

// Joins the translations of sentences: the `nbest` combinations with the highest sums of scores, which become their
// scores. Separators are kept, and so is `trailing`, the rest of the line. But if there is at most one space between
// two sentences, their translations are separated as their script requires: by no space in Chinese and Japanese,
// otherwise by one. Calls join_weights().
LineResult join_sentences(std::vector<Chunk> sentences, std::string_view trailing, std::size_t nbest);

// Gives each translation of a line that was split the weights of its chunks, and zeros between different chunks. If the
// weights are too many to store, or if a chunk has none, the translation gets none.
void join_weights(LineResult& line);

// The links between the words of a line and one of its translations; empty if it has no weights.
alignment::Alignment word_links(std::string_view line, const LineResult& result, std::size_t translation);

}  // namespace heed::translate
