#include "text/text_config.h"

namespace heed::text {

void declare(Options& o, TextConfig& c) {
  std::vector<std::string> kinds;
  for (const TokenizerKind& kind : tokenizer_kinds())
    if (kind.name != "sentencepiece") kinds.emplace_back(kind.name);
  kinds.insert(kinds.end(), {"bpe", "unigram"});
  o.group("Text");
  o.key("data.tokenizer", c.tokenizer, "how lines become words; bpe and unigram learn subwords from the text",
        choices(kinds));
  o.key("data.source_language", c.source_language, "whose rules the source's tokenizer uses: de, en, fr, …");
  o.key("data.target_language", c.target_language, "the same for the target");
  o.key("data.normalize", c.normalize, "steps before that, in this order: nfc, lowercase, strip-accents, …");
  o.key("data.subwords", c.subwords, "how many subwords to learn for each side", range(2, 1e6));
  o.key("data.subword_joint", c.subword_joint, "one set of subwords, and one vocabulary, for both sides");
  o.key("data.subword_sampling", c.subword_sampling,
        "draw other subwords while training: bpe 0.1, unigram 0.1 to 0.5; 0: never", range(0, 1).below(1));
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

}  // namespace heed::text
