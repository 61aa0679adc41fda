#include "search/search_options.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace heed::search {

double length_factor(const SearchOptions& options, Index words) {
  return std::pow(static_cast<double>(std::max<Index>(words, 1)), options.length_normalization);
}

double hypothesis_score(const SearchOptions& options, double log_probability, Index words, double attended) {
  return log_probability / length_factor(options, words) + options.word_reward * static_cast<double>(words) +
         options.coverage * attended;
}

void declare_beam(Options& o, SearchOptions& v) {
  o.flag("beam", v.beam, "hypotheses kept at each step; 1 is greedy and fastest", range(1, 1000));
}

void declare_nbest(Options& o, SearchOptions& v) {
  o.flag("nbest", v.nbest, "number of translations per sentence, best first", range(1, 1000));
}

void declare(Options& o, SearchOptions& v) {
  o.group("Search");
  declare_beam(o, v);
  declare_nbest(o, v);
  o.flag("length-normalization", v.length_normalization, "log-probability is divided by words to this power",
         range(0, 10));
  o.flag("word-reward", v.word_reward, "added for each word: above 0 for longer translations", range(-100, 100));
  o.flag("coverage", v.coverage, "weight of the penalty for source words not attended to", range(0, 100));
  o.flag("no-repeat", v.no_repeat, "no run of this many words occurs twice in a translation; 0: any may",
         range(0, 1000));
  o.group("Sampling");
  o.flag("sample", v.sample, "draw each word by its probability instead of searching for the best");
  o.flag("temperature", v.temperature, "softmax temperature; below 1 sharpens the distribution, above 1 flattens it",
         above(0).at_most(100));
  o.flag("top-k", v.top_k, "draw among the k likeliest words only; 0: all", at_least(0));
  o.flag("top-p", v.top_p, "draw among the likeliest words that hold this much probability together",
         above(0).at_most(1));
  o.flag("seed", v.seed, "another seed draws other words; a sentence's draw depends on nothing else", at_least(0));
}

void resolve(SearchOptions& v, const Options& given) {
  if (v.sample) {
    check<UsageError>(v.nbest == 1, "--nbest {} and --sample exclude each other: one translation is drawn", v.nbest);
    check<UsageError>(!given.is_set(&v.beam) || v.beam == 1, "--beam {} and --sample exclude each other", v.beam);
    v.beam = 1;
  } else {
    const std::pair<const void*, const char*> needs_sample[] = {
        {&v.temperature, "--temperature"}, {&v.top_k, "--top-k"}, {&v.top_p, "--top-p"}, {&v.seed, "--seed"}};
    for (const auto& [field, flag] : needs_sample)
      check<UsageError>(!given.is_set(field), "{} means nothing without --sample", flag);
  }
  if (!given.is_set(&v.beam)) v.beam = std::max(v.beam, v.nbest);
  check<UsageError>(v.nbest <= v.beam, "--nbest {} needs a --beam of at least as many, not {}", v.nbest, v.beam);
}

void check_options(const SearchOptions& o, bool has_attention) {
  check<UsageError>(o.beam >= 1, "the beam is {} wide, expected at least 1", o.beam);
  check<UsageError>(o.nbest >= 1 && o.nbest <= o.beam,
                    "{} hypotheses are wanted of a beam of {}: the beam must be at least as wide", o.nbest, o.beam);
  check<UsageError>(std::isfinite(o.length_normalization) && o.length_normalization >= 0,
                    "the length normalization is {}, expected 0 or more", o.length_normalization);
  check<UsageError>(std::isfinite(o.word_reward), "the word reward is {}, expected a number", o.word_reward);
  check<UsageError>(std::isfinite(o.coverage) && o.coverage >= 0, "the coverage penalty is {}, expected 0 or more",
                    o.coverage);
  check<UsageError>(o.coverage == 0 || has_attention,
                    "a coverage penalty of {} needs attention, and this model has none", o.coverage);
  check<UsageError>(o.no_repeat >= 0, "n-grams of {} words cannot be kept from repeating, expected 0 or more",
                    o.no_repeat);
  check<UsageError>(o.trace >= 0, "a trace with {} words per step, expected 0 (no trace) or more", o.trace);
  if (!o.sample) return;
  check<UsageError>(o.beam == 1, "sampling draws one translation, so it cannot go with a beam of {}", o.beam);
  check<UsageError>(std::isfinite(o.temperature) && o.temperature > 0, "the temperature is {}, expected more than 0",
                    o.temperature);
  check<UsageError>(o.top_k >= 0, "top-k is {}, expected 0 (all words) or more", o.top_k);
  check<UsageError>(o.top_p > 0 && o.top_p <= 1, "top-p is {}, expected more than 0 and at most 1", o.top_p);
}

}  // namespace heed::search
