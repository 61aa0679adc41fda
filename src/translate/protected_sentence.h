// A sentence with protected spans: what a model reads in its place, and how the spans return into the translation.
//
// A model that has learned placeholder tokens (data.placeholders) reads one for each span and copies it. For any other
// model, numbers and what it knows as a word or two stay as they are, other addresses, code and placeholders become a
// stand-in, and emoji and tags are left out.
// Each span then replaces what the model wrote for it: a copy of the stand-in or the word that attended to the span. A
// number that the translation already has, in the same digits or in words, stays. A span without such a word is
// inserted next to the translation of its neighbor.
//
// Whatever the model wrote, the translation has every span once and no placeholder, tag, address or code that the
// sentence does not have. Immutable, thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "translate/line_result.h"
#include "translate/pipeline.h"
#include "translate/place_spans.h"
#include "translate/text_edits.h"

namespace heed::translate {

// What the model of a pipeline knows of protected spans.
struct SpanPolicy {
  const TextPipeline* pipeline = nullptr;                    // must outlive the policy
  std::u32string placeholders = {};                          // the placeholder tokens that the model has learned
  std::u32string unknown = {};                               // how it writes an unknown word; empty: it cannot
  std::shared_ptr<const text::SpelledNumbers> numbers = {};  // in the words of the target language; may be null

  SpanPolicy() = default;
  explicit SpanPolicy(const TextPipeline& of_model);

  // Whether the model knows the text as one or two tokens, so that it has probably learned to translate it.
  bool knows(std::u32string_view text) const;
  // Whether it reads words, and not subwords or characters.
  bool reads_words() const;
};

class ProtectedSentence {
 public:
  // `spans` in characters of the sentence, in order.
  ProtectedSentence(std::string_view sentence, std::span<const text::ProtectedSpan> spans, const SpanPolicy& policy);

  // What the model reads.
  std::string model_text() const { return model_text_.utf8(); }

  // Where a part of the sentence without protected spans is in model_text().
  text::Span in_model_text(const text::Span& span) const;

  // Puts the spans into the translations of model_text(), the best as well as the others; all spans of tokens and
  // warnings then refer to the sentence and the final text. Adds Translation::kept, and a warning for a span of the
  // best translation whose position had to be guessed. `prefix`: what the translation had to begin with; it stays.
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
  std::u32string stand_in_;  // a word that the sentence does not have; empty if no span needs it
  text::MappedText model_text_;
  std::u32string unknown_;
  std::shared_ptr<const text::SpelledNumbers> numbers_;
};

}  // namespace heed::translate
