// How lines are translated: the settings, their flags, and how long a translation may be.
#pragma once

#include <functional>

#include "search/search_options.h"
#include "translate/unknown_words.h"

namespace heed::translate {

struct TranslateOptions {
  search::SearchOptions search = {};
  // A translation has at most length_ratio * source tokens + length_extra words, the end symbol included.
  double length_ratio = 2;
  int length_extra = 10;
  int max_source_length = 500;  // tokens; a longer line is translated in chunks
  UnknownWords unknown = {};
  bool warnings = false;  // look for what may be wrong with a translation

  // Of the whole call, not of a line: sentences computed together at most; workers, 0 for as many as there are cores.
  int batch = 64;
  int threads = 0;
  // Called now and then with the source tokens done so far, of all that there are, from any thread but never from two
  // at once. If it returns false, the rest is left: lines not reached have no translations.
  std::function<bool(std::size_t done, std::size_t all)> on_progress = {};
};

// The flags of a search and of translating, each group under its title; and the one that most commands have.
void declare(Options& o, TranslateOptions& v);
void declare_batch(Options& o, TranslateOptions& v);

// UsageError for values out of range and for what this model cannot do.
void check_options(const TranslateOptions& options, bool has_attention);

// How many words a translation may have, the end symbol included. `source` counts the end symbol, too; behind a prefix
// there is always room for length_extra words.
Index max_length(const TranslateOptions& options, std::size_t source, std::size_t prefix = 0);

}  // namespace heed::translate
