// Translation options, their flags, and the length limit of a translation.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "search/search_options.h"
#include "translate/unknown_words.h"

namespace heed::translate {

struct TranslateOptions {
  search::SearchOptions search = {};
  // A translation has at most length_ratio * source tokens + length_extra tokens, including the end symbol.
  double length_ratio = 2;
  int length_extra = 10;
  int max_source_length = 500;  // tokens; a longer line is translated in chunks
  UnknownWords unknown = {};
  bool warnings = false;  // look for possible errors: see find_warnings()
  // Search again if a translation repeats a phrase endlessly: translate/repetition.h. A TextLayer turns it on.
  bool stop_repetition = false;
  bool whole_lines = false;  // keeps a TextLayer from splitting lines into sentences

  // These apply to the whole call, not to single lines.
  int batch = 64;   // at most this many sentences are computed together
  int threads = 0;  // 0: one per core
  // Called with the number of source tokens done and of all source tokens, from any thread but never from two at once.
  // If it returns false, the rest is skipped: the remaining lines have no translations.
  std::function<bool(std::size_t done, std::size_t all)> on_progress = {};
};

// All flags, including those of the search, in groups; and --batch alone, for commands that have no others.
void declare(Options& o, TranslateOptions& v);
void declare_batch(Options& o, TranslateOptions& v);

// The flag --shortlist: on, off or, if it is not given, as the command decides (`by_default`, in words).
void declare_shortlist(Options& o, std::string& value, std::string_view by_default);
// Whether to use a shortlist, if the flag has this value.
inline bool wants_shortlist(const std::string& value, bool by_default) {
  return value.empty() ? by_default : value == "on";
}
// UsageError if the value is on, but the model has no shortlist.
void check_shortlist(const std::string& value, bool has_shortlist, const std::string& model);

// UsageError for values out of range and for settings that need attention if the model has none.
void check_options(const TranslateOptions& options, bool has_attention);

// The maximum length of a translation in tokens. `source` and the result include the end symbol; at least length_extra
// tokens may follow a prefix.
Index max_length(const TranslateOptions& options, std::size_t source, std::size_t prefix = 0);

}  // namespace heed::translate
