// The models of a server by their languages, each with its threads. Immutable once all pairs are there; thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "translate/shared_translator.h"
#include "translate/text_layer.h"

namespace heed::serve {

// A text layer that is used by one request at a time, and by the next one after it.
class LayerStock {
 public:
  LayerStock(translate::SentenceTranslator& translator, translate::TextOptions options)
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
  std::unique_ptr<LayerStock> layers;

  std::string name() const { return source + "-" + target; }
  // TextLayer::translate(), from any thread.
  std::vector<translate::LineResult> translate(std::span<const translate::TranslateRequest> lines,
                                               const translate::TranslateOptions& options);
  std::vector<text::MarkedText> translate(std::span<const text::MarkedText> texts,
                                          const translate::TranslateOptions& options);
};

class LanguagePairs {
 public:
  // Loads "en-de=run", or "run" if the model records its languages. InputError if the file is not a model, UsageError
  // if the languages are not known or the pair is there already.
  void add(const std::string& argument, const translate::SharedTranslatorOptions& options,
           const translate::TextOptions& text);

  std::span<const std::unique_ptr<LanguagePair>> all() const { return pairs_; }
  // Null if there is none.
  LanguagePair* find(std::string_view source, std::string_view target) const;
  // Every language, sorted by its code.
  struct Language {
    std::string code, name;
    std::vector<std::string> targets;  // sorted, including the language itself
  };
  std::vector<Language> languages() const;
  // The code that a client's name of a language stands for: "en" for EN-us. Empty if there is no such language here.
  std::string find_code(std::string_view name) const;
  // The only source language; empty if there are several.
  std::string only_source() const;

 private:
  std::vector<std::unique_ptr<LanguagePair>> pairs_;
};

// The model of an argument "PAIR=MODEL" or "MODEL".
std::string model_of_argument(const std::string& argument);

// "English" for en; the code itself if it has no name.
std::string language_name(std::string_view code);
// Codes as LibreTranslate writes them: zh-Hans for zh, pt-BR for pb.
std::string outward_code(std::string_view code);

}  // namespace heed::serve
