// Flags that several commands have in common and no struct of the library owns.
#pragma once

#include "base/options.h"

namespace heed::cli {

inline void declare_json(Options& o, bool& json, std::string_view help = "one JSON object") {
  o.flag("json", json, help);
}

inline void declare_gold_base(Options& o, int& gold_base) {
  o.flag("gold-base", gold_base, "the number of the first word in --gold", range(0, 1));
}

}  // namespace heed::cli
