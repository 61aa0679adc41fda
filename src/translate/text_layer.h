// Translates text as people write it: the layer between such text and a model, which has learned from single sentences.
//   - Splits lines into sentences, unless the model has learned from lines of several (translate/training_lines.h).
//   - Keeps numbers, addresses, placeholders and other protected spans (translate/protected_sentence.h).
//   - Translates the terms of a glossary as the glossary says (translate/glossary.h).
//   - Copies names that the model does not know (translate/unknown_names.h).
//   - Restores capitals and headlines (translate/sentence_case.h).
//   - Stops endless repetition (translate/repetition.h).
//
//   TextLayer layer(translator, {});
//   for (const LineResult& line : layer.translate(requests, options)) print(line.best().text);
//
// The guarantee of Translator holds: the result of a line depends bit for bit only on the line and the options. A
// TextLayer is used by one thread at a time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "text/marked_text.h"
#include "text/sentences.h"
#include "translate/protected_sentence.h"
#include "translate/text_options.h"
#include "translate/translator.h"

namespace heed::translate {

class TextLayer {
 public:
  // The translator must outlive the layer.
  TextLayer(SentenceTranslator& translator, TextOptions options);

  // Like Translator::translate(). White space at the ends of a line is kept, and between its sentences as far as
  // join_sentences() keeps it. A prefix applies to the first sentence; a request with a target is not split. The n-best
  // translations of a line with several sentences are the combinations with the highest sums of scores.
  std::vector<LineResult> translate(std::span<const TranslateRequest> requests, const TranslateOptions& options);

  // Translates texts with marks, such as the inline tags of a document: see translate/marks.h. What marks with `keep`
  // cover stays as it is, and so do references attached to words: see translate/attached_marks.h. A text whose
  // translation was stopped by options.on_progress is empty.
  std::vector<text::MarkedText> translate(std::span<const text::MarkedText> marked, const TranslateOptions& options);

 private:
  struct Line;

  Line split(const TranslateRequest& request, const TranslateOptions& options);
  void recase(Line& line, std::span<const text::Span> kept) const;
  void protect(Line& line, std::span<const text::Span> kept, const Glossary* glossary) const;
  bool is_copied(const Line& line, std::size_t sentence, const TranslateOptions& options) const;

  SentenceTranslator& translator_;
  TextOptions options_;
  text::SentenceSplitter splitter_;
  SpanPolicy policy_;
  bool copies_names_;
};

}  // namespace heed::translate
