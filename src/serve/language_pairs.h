// The models of a server by their languages, each with its own threads. Thread-safe once all pairs are added and the
// pivot is set.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "translate/sentence_cache.h"
#include "translate/shared_translator.h"
#include "translate/text_layer.h"

namespace heed::serve {

// A pool of text layers: each serves one request at a time and is then reused. Thread-safe.
class LayerPool {
 public:
  LayerPool(translate::SentenceTranslator& translator, translate::TextOptions options)
      : translator_(translator), options_(std::move(options)) {}

  std::unique_ptr<translate::TextLayer> take();
  void give_back(std::unique_ptr<translate::TextLayer> layer);

 private:
  translate::SentenceTranslator& translator_;
  const translate::TextOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<translate::TextLayer>> idle_;
};

struct LanguagePair {
  std::string source, target;  // codes: "en"
  std::unique_ptr<translate::Translator> translator;
  std::unique_ptr<translate::SharedTranslator> shared;
  std::unique_ptr<translate::CachedTranslator> cached;  // in front of `shared`
  std::unique_ptr<LayerPool> layers;

  std::string name() const { return source + "-" + target; }
  // As TextLayer::translate(). Thread-safe.
  std::vector<translate::LineResult> translate(std::span<const translate::TranslateRequest> lines,
                                               const translate::TranslateOptions& options);
  std::vector<text::MarkedText> translate(std::span<const text::MarkedText> texts,
                                          const translate::TranslateOptions& options);
};

// How to get from one language to another: with one model, or with two by way of a third language, the pivot. `first`
// is null if there is no way.
struct TranslationPath {
  LanguagePair* first = nullptr;
  LanguagePair* second = nullptr;  // null: `first` is all it takes

  explicit operator bool() const { return first != nullptr; }
  const std::string& source() const { return first->source; }
  const std::string& target() const { return second != nullptr ? second->target : first->target; }
  // "en-de", or "fr-en-de" by way of English.
  std::string name() const { return second != nullptr ? first->name() + "-" + second->target : first->name(); }
  // As LanguagePair::translate(). With two models, everything in a result but the text of the translations refers to
  // the line in the pivot language. A line that was stopped has no translations.
  std::vector<translate::LineResult> translate(std::span<const translate::TranslateRequest> lines,
                                               const translate::TranslateOptions& options) const;
  std::vector<text::MarkedText> translate(std::span<const text::MarkedText> texts,
                                          const translate::TranslateOptions& options) const;
};

class LanguagePairs {
 public:
  // Loads "en-de=run", or "run" if the model records its languages. InputError if the file is not a model; UsageError
  // if the languages are not known or the pair already has a model.
  void add(const std::string& argument, const translate::SharedTranslatorOptions& options,
           const translate::TextOptions& text, std::shared_ptr<translate::SentenceCache> cache = nullptr);

  std::span<const std::unique_ptr<LanguagePair>> all() const { return pairs_; }
  // The pair with a model of its own; null if there is none.
  LanguagePair* find(std::string_view source, std::string_view target) const;
  // The pair's own model if there is one, otherwise the two models by way of the pivot language.
  TranslationPath find_path(std::string_view source, std::string_view target) const;
  // Pairs without a model are translated by way of this language. UsageError unless there are models both from it and
  // to it.
  void set_pivot(std::string_view language);
  const std::string& pivot() const { return pivot_; }  // empty: none
  // All languages, sorted by code.
  struct Language {
    std::string code, name;
    std::vector<std::string> targets;  // sorted, including the language itself
  };
  std::vector<Language> languages() const;
  // The code of the language that a client names: "en" for EN-us. Empty if the server does not have the language.
  std::string find_code(std::string_view name) const;
  // The languages that models translate from, sorted.
  std::vector<std::string> sources() const;

 private:
  std::vector<std::unique_ptr<LanguagePair>> pairs_;
  std::string pivot_;
};

// MODEL in an argument "PAIR=MODEL" or "MODEL".
std::string model_of_argument(const std::string& argument);

// "English" for en; the code itself if it has no name.
std::string language_name(std::string_view code);
// The code as LibreTranslate writes it: zh-Hans for zh, pt-BR for pb.
std::string outward_code(std::string_view code);

}  // namespace heed::serve
