#include "translate/text_config.h"

namespace heed {

void declare(Options& o, TextConfig& c) {
  std::vector<std::string> kinds;
  for (const TokeniserKind& kind : tokeniser_kinds())
    if (kind.name != "sentencepiece") kinds.emplace_back(kind.name);
  o.group("Text");
  o.key("data.tokeniser", c.tokeniser, "how lines become words", choices(kinds));
  o.key("data.source_language", c.source_language, "whose rules the source's tokeniser uses: de, en, fr, …");
  o.key("data.target_language", c.target_language, "the same for the target");
  o.key("data.normalise", c.normalise, "steps before that, in this order: nfc, lowercase, strip-accents, …");
}

std::string text_config_to_toml(const TextConfig& config) {
  TextConfig copy = config;
  Options options;
  declare(options, copy);
  return options.to_toml();
}

TextConfig text_config_from_toml(std::string_view toml, std::string_view where) {
  TextConfig config;
  Options options;
  declare(options, config);
  options.apply_toml(toml, where);
  return config;
}

}  // namespace heed
