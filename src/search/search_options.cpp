#include "search/search_options.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace heed::search {

double length_factor(const SearchOptions& options, Index length) {
  return std::pow(static_cast<double>(std::max<Index>(length, 1)), options.length_normalization);
}

double hypothesis_score(const SearchOptions& options, double log_probability, Index length, double coverage_penalty) {
  return log_probability / length_factor(options, length) + options.word_reward * static_cast<double>(length) +
         options.coverage * coverage_penalty;
}

void declare_beam(Options& o, SearchOptions& v) {
  o.flag("beam", v.beam, "beam size: hypotheses kept at each step; 1 is greedy search, the fastest", range(1, 1000))
      .common();
}

void declare_nbest(Options& o, SearchOptions& v) {
  o.flag("nbest", v.nbest, "number of translations per sentence, best first", range(1, 1000)).common();
}

void declare(Options& o, SearchOptions& v) {
  o.group("Search");
  declare_beam(o, v);
  declare_nbest(o, v);
  o.flag("length-normalization", v.length_normalization,
         "divide the log-probability by this power of the number of tokens", range(0, 10));
  o.flag("word-reward", v.word_reward, "added to the score for each token; above 0 favors longer translations",
         range(-100, 100));
  o.flag("coverage", v.coverage, "weight of the penalty for source tokens that get little attention", range(0, 100));
  o.flag("no-repeat", v.no_repeat, "prevent repeating any sequence of this many tokens; 0 allows repetition",
         range(0, 1000));
  o.group("Sampling");
  o.flag("sample", v.sample, "sample each token by its probability instead of searching for the best translation");
  o.flag("temperature", v.temperature, "softmax temperature; below 1 sharpens the distribution, above 1 flattens it",
         above(0).at_most(100));
  o.flag("top-k", v.top_k, "sample only from the k most probable tokens; 0: all", at_least(0));
  o.flag("top-p", v.top_p, "sample only from the most probable tokens that together reach this probability",
         above(0).at_most(1));
  o.flag("seed", v.seed, "random seed; a sentence's sample depends only on the seed and the sentence", at_least(0));
}

void resolve_beam(SearchOptions& v, const Options& options) {
  if (!options.is_set(&v.beam)) v.beam = std::max(v.beam, v.nbest);
  check<UsageError>(v.nbest <= v.beam, "--nbest {} needs a --beam of at least {}, not {}", v.nbest, v.nbest, v.beam);
}

void resolve(SearchOptions& v, const Options& options) {
  if (v.sample) {
    check<UsageError>(v.nbest == 1, "--nbest {} cannot be combined with --sample, which produces one translation",
                      v.nbest);
    check<UsageError>(!options.is_set(&v.beam) || v.beam == 1, "--beam {} cannot be combined with --sample", v.beam);
    v.beam = 1;
    return;
  }
  const std::pair<const void*, const char*> needs_sample[] = {
      {&v.temperature, "--temperature"}, {&v.top_k, "--top-k"}, {&v.top_p, "--top-p"}, {&v.seed, "--seed"}};
  for (const auto& [field, flag] : needs_sample)
    check<UsageError>(!options.is_set(field), "{} has no effect without --sample", flag);
  resolve_beam(v, options);
}

void check_options(const SearchOptions& o, bool has_attention) {
  check<UsageError>(o.beam >= 1, "the beam is {}, expected at least 1", o.beam);
  check<UsageError>(o.nbest >= 1 && o.nbest <= o.beam,
                    "{} hypotheses from a beam of {}: the beam must be at least as large", o.nbest, o.beam);
  check<UsageError>(std::isfinite(o.length_normalization) && o.length_normalization >= 0,
                    "the length normalization is {}, expected 0 or more", o.length_normalization);
  check<UsageError>(std::isfinite(o.word_reward), "the word reward is {}, expected a number", o.word_reward);
  check<UsageError>(std::isfinite(o.coverage) && o.coverage >= 0, "the coverage penalty is {}, expected 0 or more",
                    o.coverage);
  check<UsageError>(o.coverage == 0 || has_attention,
                    "a coverage penalty of {} needs attention, and this model has none", o.coverage);
  check<UsageError>(o.no_repeat >= 0, "no-repeat is {}, expected 0 (repetition allowed) or more", o.no_repeat);
  check<UsageError>(o.trace >= 0, "a trace with {} choices per step, expected 0 (no trace) or more", o.trace);
  if (!o.sample) return;
  check<UsageError>(o.beam == 1, "sampling produces one translation, so it cannot use a beam of {}", o.beam);
  check<UsageError>(std::isfinite(o.temperature) && o.temperature > 0, "the temperature is {}, expected more than 0",
                    o.temperature);
  check<UsageError>(o.top_k >= 0, "top-k is {}, expected 0 (all tokens) or more", o.top_k);
  check<UsageError>(o.top_p > 0 && o.top_p <= 1, "top-p is {}, expected more than 0 and at most 1", o.top_p);
}

}  // namespace heed::search
