#include "api/settings.h"

#include <algorithm>

#include "base/error.h"

namespace heed::api {

void apply_settings(Options& options, const Settings& settings) {
  std::vector<std::string> arguments;
  for (const auto& [name, value] : settings) {
    check<UsageError>(!name.empty() && name.front() != '-' && name.find_first_of(" =") == name.npos,
                      "a setting is called {}; write its name without dashes and without the value", in_quotes(name));
    check<UsageError>(name != "help" && name != "help-all", "there is no setting {}", in_quotes(name));
    arguments.push_back("--" + name + "=" + value);
    // Python's keyword arguments have underscores; configuration keys, which have dots, keep theirs.
    if (name.find('.') == name.npos)
      std::replace(arguments.back().begin(), arguments.back().begin() + 2 + std::ssize(name), '_', '-');
  }
  options.parse(arguments);
}

}  // namespace heed::api
