// Translates real text: what lies between the text of people and the sentences that a model has learned from. A line
// may have several sentences, each of which is translated on its own, unless the model learned from such lines.
// Numbers, addresses, placeholders and other protected spans are kept (translate/protected_sentence.h). Terms of a
// glossary (translate/glossary.h) are translated as it says. Names that the model does not know are copied
// (translate/unknown_names.h), capitals and headlines are restored (translate/sentence_case.h), and endless repetition
// is stopped (translate/repetition.h).
//
//   TextLayer layer(translator, {});
//   for (const LineResult& line : layer.translate(requests, options)) print(line.best().text);
//
// The guarantees of Translator hold: the result of a line depends bit for bit only on the line and the options. Used by
// one thread at a time.
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

  // Like Translator::translate(). The white space around a line and between its sentences is kept. A prefix applies to
  // the first sentence; a request with a target is not split. `chunks` of a line with several sentences are the
  // sentences, and its n-best translations are the combinations with the highest sums of scores.
  std::vector<LineResult> translate(std::span<const TranslateRequest> requests, const TranslateOptions& options);

  // Translates texts with marks, such as the inline tags of a document: see translate/marks.h. What marks with `keep`
  // cover stays as it is. A text whose translation was stopped by options.on_progress is empty.
  std::vector<text::MarkedText> translate(std::span<const text::MarkedText> texts, const TranslateOptions& options);

 private:
  struct Line;

  Line split(const TranslateRequest& request);
  void recase(Line& line) const;
  void protect(Line& line, std::span<const text::Span> kept, const Glossary* glossary) const;

  SentenceTranslator& translator_;
  TextOptions options_;
  text::SentenceSplitter splitter_;
  SpanPolicy policy_;
  bool copies_names_;
};

}  // namespace heed::translate
