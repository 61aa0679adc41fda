// Evaluates a model on a test set: quality, perplexity, alignment, speed, size. The result is a plain value to print,
// draw or save.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alignment/error_rate.h"
#include "metrics/metric.h"
#include "translate/translator.h"

namespace heed::evaluate {

struct TestSet {
  std::vector<std::string> sources, references;
  // One per pair, between the words of LinkWords; empty: alignments are not scored.
  std::vector<alignment::Alignment> gold = {};
  bool pretokenized = false;  // for the alignments: see ScoreOptions
  // What the model made of the sources elsewhere, one per source; empty: it translates them now.
  std::vector<std::string> translations = {};
};

struct EvaluateOptions {
  std::vector<std::string> metrics = {"bleu", "chrf", "ter"};
  metrics::MetricOptions metric;  // its `lowercase` is ignored; see below
  // Whether BLEU, chrF and exact ignore case; if not set, they do if the model writes lower case only. References are
  // never normalized in any other way, so that scores of different models, and published ones, are comparable.
  std::optional<bool> lowercase = {};
  translate::TranslateOptions translate;
  bool text_layer = false;  // translate through a TextLayer with its defaults, as `heed translate` does
  // Called while the references are scored, after translating: see ScoreOptions::on_progress.
  std::function<void(std::size_t done, std::size_t all)> on_scored = {};
  std::size_t maps = 0;  // keep the attention of the first `maps` sentences
};

struct Perplexity {
  double value = 0;           // exp of the mean loss per token of the references, including end symbols
  std::int64_t tokens = 0;    // by the model's tokenizer: values of two models are comparable if these are equal
  std::int64_t unknown = 0;   // tokens that are not in the vocabulary
  std::int64_t too_long = 0;  // skipped pairs
};

// What the shortlist leaves of the vocabulary.
struct ShortlistUse {
  double covered = 1;     // part of the references' tokens that are candidates of their sources, end symbols included
  double candidates = 0;  // mean number per sentence
};

struct Evaluation {
  std::string name;  // the model's path, or a name that the caller sets
  std::string system;
  std::int64_t parameters = 0;
  std::int64_t file_bytes = 0;  // 0 if the model is not in a file
  std::vector<std::string> translations;
  std::vector<text::AttentionMatrix> maps;  // of the first EvaluateOptions::maps sentences
  std::vector<metrics::CorpusScore> scores;
  std::int64_t exact = 0;  // translations with the same words as their reference, by the metric `exact`
  std::string exact_signature;
  bool writes_lower_case = false, lowercase = false;  // what the model does; whether case was ignored
  // The number of references that the model's normalization changes (apart from case), and its steps.
  std::int64_t normalized_references = 0;
  std::vector<std::string> normalize;
  Perplexity perplexity;                               // over the whole vocabulary
  std::optional<ShortlistUse> shortlist;               // if the translations were chosen with a shortlist
  std::optional<alignment::AlignmentScore> alignment;  // if there are gold links and the model has attention
  double seconds = 0;  // spent on translating; 0 if that was done elsewhere, and the two speeds are NaN
  double sentences_per_second = 0;
  double target_tokens_per_second = 0;  // including end symbols
};

// The translations that evaluate() scores; the last ones are missing if options.translate.on_progress stops it.
std::vector<translate::LineResult> translate_sources(translate::Translator& translator,
                                                     std::span<const std::string> sources,
                                                     const EvaluateOptions& options);
// InputError if the numbers of sources, references, gold alignments and translations differ.
Evaluation evaluate(translate::Translator& translator, const TestSet& test, const EvaluateOptions& options);
// Also sets name and file_bytes, for a translator of one file.
Evaluation evaluate_file(translate::Translator& translator, const std::string& path, const TestSet& test,
                         const EvaluateOptions& options);

}  // namespace heed::evaluate
