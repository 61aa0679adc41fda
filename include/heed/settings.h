// Options by name and value, for everything that the structs of the API do not name themselves.
//
//   options.settings = {{"length-normalization", "0.6"}, {"glossary", "terms.tsv"}};
//
// Names and values are those of the command line without the dashes (docs/options.md): {"plain", "true"} is --plain. A
// list is given as JSON, ["a", "b"], if the option is a key of configuration files, otherwise by repeating the name.
// An unknown name or a bad value throws an Error of the kind `usage`.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "heed/version.h"

namespace heed {

using Settings = std::vector<std::pair<std::string, std::string>>;

// Called with the work done and the whole work. If it returns false, the work stops as soon as possible.
using OnProgress = std::function<bool(std::size_t done, std::size_t all)>;

}  // namespace heed
