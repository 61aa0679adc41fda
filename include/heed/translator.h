// Translates text.
//
//   const heed::Translator translator("run/model.safetensors");
//   for (const heed::TranslatedLine& line : translator.translate(lines)) std::cout << line.text() << '\n';
//
// Any number of threads may call a Translator at once: their sentences are computed together. A translation depends,
// bit for bit, only on the line and the options, not on the other lines, the calls of other threads or the number of
// threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/alignment.h"
#include "heed/attention.h"
#include "heed/error.h"
#include "heed/settings.h"

namespace heed {

struct Translation {
  std::string text;                  // a single line
  double score = 0;                  // translations are sorted by it
  double log_probability = 0;        // the sum over its tokens, including the end symbol
  Attention attention;               // its tokens; the weights if requested
  std::vector<float> probabilities;  // one per token of attention.target
  // Links between words separated by white space, if requested and the model has attention.
  Alignment alignment;
};

// Something in a translation that may be wrong.
struct Warning {
  std::string kind;  // unattended, repetition, unaligned, unknown, number, untranslated, low_confidence, …
  std::string text;  // the words in question
  bool in_source = false;
  std::uint32_t begin = 0, end = 0;  // their characters in the source or in the translation: [begin, end)
};

struct TranslatedLine {
  std::vector<Translation> translations;  // best first; empty only if the call was stopped
  std::vector<Warning> warnings;          // about the best one, if requested
  bool too_long = false;                  // for the model: the line was translated in chunks

  bool done() const { return !translations.empty(); }
  const Translation& best() const { return translations.front(); }
  const std::string& text() const { return best().text; }
};

struct TranslateOptions {
  int beam = 0;  // hypotheses kept at each step; 1 is greedy search; 0: 5, or nbest if that is more
  int nbest = 1;
  bool attention = false;  // return the attention weights
  bool alignment = false;  // return the links between words
  bool warnings = false;   // look for possible errors
  // How each translation must begin; empty, or one per line.
  std::vector<std::string> prefixes = {};
  // All other options of `heed translate` about text, search, sampling and length: "plain", "segment", "glossary",
  // "unknown", "length-normalization", "sample", …
  Settings settings = {};
  // Called on the calling thread, with numbers of source tokens. If it returns false, lines that are not done stay
  // without translations. An exception that it throws passes through.
  OnProgress on_progress = {};
};

// A known translation, scored by a model.
struct ScoredPair {
  bool too_long = false;                 // for the model: nothing was computed
  std::vector<float> log_probabilities;  // one per token of attention.target, the end symbol last
  Attention attention;                   // the weights if requested and the model has attention

  double log_probability() const {
    double sum = 0;
    for (const float value : log_probabilities) sum += value;
    return sum;
  }
};

struct ScoreOptions {
  bool attention = false;
  bool pretokenized = false;  // words are separated by spaces
  int threads = 0;            // 0: as many as the translator has
};

struct TranslatorOptions {
  int threads = 0;  // that compute; 0: one per core
  // Copy the model to memory, for programs that run for long: then nothing that happens to its file matters. Otherwise
  // the file stays mapped, which is faster to open, and must not be changed, only replaced by renaming.
  bool copy = false;
};

class HEED_API Translator {
 public:
  // A model file or a run directory.
  explicit Translator(const std::string& model, const TranslatorOptions& options = {});
  // Several models with the same vocabularies form an ensemble.
  explicit Translator(const std::vector<std::string>& models, const TranslatorOptions& options = {});
  // No call may be running.
  ~Translator();
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;

  // One result per line, in order. Text may be anything: invalid UTF-8 is read as U+FFFD.
  std::vector<TranslatedLine> translate(const std::vector<std::string>& lines,
                                        const TranslateOptions& options = {}) const;
  // With the default options.
  std::string translate_line(const std::string& line) const;

  // The probability of known translations. The first model of an ensemble is used, here and in align().
  std::vector<ScoredPair> score(const std::vector<std::string>& sources, const std::vector<std::string>& targets,
                                const ScoreOptions& options = {}) const;
  // Links between the words of known translations, from attention. Error if the model has none.
  Alignments align(const std::vector<std::string>& sources, const std::vector<std::string>& targets,
                   const AlignOptions& options = {}) const;

  bool has_attention() const;
  std::string system() const;  // the preset of the first model, such as "heed"
  std::int64_t parameters() const;
  // Two-letter codes; empty if the model does not say.
  std::string source_language() const;
  std::string target_language() const;

  struct Impl;
  const Impl& impl() const { return *impl_; }  // for heed itself

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace heed
