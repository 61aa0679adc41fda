// The interface of translators of sentences, which TextLayer uses: Translator (translator.h) for one caller at a time,
// SharedTranslator (shared_translator.h) for many.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "translate/line_result.h"
#include "translate/pipeline.h"
#include "translate/terms.h"
#include "translate/training_lines.h"
#include "translate/translate_options.h"

namespace heed::translate {

class Glossary;

// Called with the index of a sentence in its line, and the first part of its translation, as far as it is certain.
using OnPartial = std::function<void(std::size_t sentence, std::string_view text)>;

// A line to translate, with its own options. Everything it refers to must live until the call returns.
struct TranslateRequest {
  std::string_view text;
  std::string_view prefix = {};                 // the translation must begin with it
  std::optional<std::string_view> target = {};  // the whole translation, which is then only scored
  std::span<const text::Span> kept = {};        // not translated; in order, not blank; only TextLayer uses it
  const TranslateOptions* options = nullptr;    // null: the options of the call
  std::span<const Term> terms = {};             // in the order of the text, without overlaps; not with a target
  const Glossary* glossary = nullptr;           // only TextLayer uses it, to find terms; null: its own, if any
  // Called on the calling thread while the line is translated; only by SharedTranslator. The text is what the model
  // writes: TextLayer may still change it, for example by restoring protected spans.
  const OnPartial* on_partial = nullptr;
  // The line gets no translations once a stop is requested or the deadline has passed.
  std::stop_token stop = {};
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

class SentenceTranslator {
 public:
  virtual ~SentenceTranslator() = default;

  virtual const TextPipeline& pipeline() const = 0;
  virtual bool has_attention() const = 0;
  // What the training lines of the first model looked like, if its file says so.
  virtual const std::optional<TrainingLines>& training_lines() const = 0;

  // One result per request, in order. A line without words has an empty translation. UsageError for contradictory
  // options and for the target of a line that is too long, InputError for a prefix with a word that the model does not
  // know.
  virtual std::vector<LineResult> translate(std::span<const TranslateRequest> requests,
                                            const TranslateOptions& options) = 0;
};

}  // namespace heed::translate
