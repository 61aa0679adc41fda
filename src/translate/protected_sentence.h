// A sentence with protected spans (text/protected_spans.h): replaces the spans before the model reads the sentence, and
// puts them back into the translation.
//
// A model that has learned placeholder tokens (data.placeholders) reads one for each span and copies it. Any other
// model reads numbers, and spans that it knows as one or two tokens, as they are. Emoji and tags are left out, and
// every other span is replaced by a stand-in, a short made-up word that the model probably copies.
//
// In the translation, each span replaces what the model wrote for it: its placeholder, a copy of the stand-in, or the
// word that attended to the span. A number that the translation already has, in the same digits or in words, stays. A
// span for which the model wrote nothing is inserted next to the translation of its neighbor.
//
// Whatever the model writes, the final translation has every span once, and no placeholder, tag, address or code that
// the sentence does not have. Immutable, thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "translate/line_result.h"
#include "translate/pipeline.h"
#include "translate/place_spans.h"
#include "translate/text_edits.h"

namespace heed::translate {

// How a model handles protected spans.
struct SpanPolicy {
  const TextPipeline* pipeline = nullptr;                    // must outlive the policy
  std::u32string placeholders = {};                          // the placeholder tokens that the model has learned
  std::u32string unknown = {};                               // its symbol for unknown words; empty: it has none
  std::shared_ptr<const text::SpelledNumbers> numbers = {};  // spelled-out numbers of the target language; may be null

  SpanPolicy() = default;
  explicit SpanPolicy(const TextPipeline& of_model);

  // Whether the model knows the text as one or two tokens, so that it has probably learned to translate it.
  bool knows(std::u32string_view text) const;
  // Whether the model knows any word of the text.
  bool knows_a_word(std::string_view text) const;
  // Whether its tokens are words, not subwords or characters.
  bool reads_words() const;
};

class ProtectedSentence {
 public:
  // `spans` are in order.
  ProtectedSentence(std::string_view sentence, std::span<const text::ProtectedSpan> spans, const SpanPolicy& policy);

  // What the model reads.
  std::string model_text() const { return model_text_.utf8(); }

  // The span in model_text() of a part of the sentence that has no protected spans.
  text::Span in_model_text(const text::Span& span) const;

  // Puts the spans into all translations of model_text(); the spans of tokens, terms and warnings then refer to the
  // sentence and the final text. Sets Translation::kept, and adds a warning for each span of the best translation whose
  // position had to be guessed. `prefix`: what the translation had to begin with; it does not change.
  void restore(LineResult& result, std::string_view prefix) const;

 private:
  void set_forms(const SpanPolicy& policy);
  void make_model_text();
  void restore_source(text::AttentionMatrix& map) const;
  TextEdits make_edits(const SpanPlaces& places, std::u32string_view old_text) const;
  void restore_translation(LineResult& result, std::size_t k, std::string_view prefix) const;
  void restore_warnings(std::vector<Warning>& warnings, const SpanPlaces& places, const TextEdits& edits) const;
  text::Span original(const text::Span& span) const;

  std::u32string sentence_;
  std::vector<SpanItem> items_;
  std::u32string stand_in_;  // a word that the sentence does not contain; empty if no span needs it
  text::MappedText model_text_;
  std::u32string unknown_;
  std::shared_ptr<const text::SpelledNumbers> numbers_;
};

}  // namespace heed::translate
