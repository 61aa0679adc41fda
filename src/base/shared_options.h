// Flags of many commands, each declared once.
#pragma once

#include "base/encoding.h"
#include "base/options.h"

namespace heed::inline base {

inline constexpr std::string_view kThreadsHelp = "number of threads; 0: as many as the machine has cores";
inline Check thread_counts() {
  return range(0, 64);
}
inline void declare_threads(Options& o, int& threads) {
  o.flag("threads", threads, kThreadsHelp, thread_counts()).may_change().common();
}

inline constexpr std::string_view kEncodingHelp = "character encoding of text files; auto: detected, with a note";
inline void declare_encoding(Options& o, Encoding& encoding) {
  o.flag("encoding", encoding, kEncodingHelp);
}

inline Option& declare_json(Options& o, bool& json, std::string_view help = "print one JSON object") {
  return o.flag("json", json, help);
}

}  // namespace heed::base
