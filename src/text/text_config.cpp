#include "text/text_config.h"

#include <algorithm>

#include "text/words.h"

namespace heed::text {

bool TextConfig::writes_lower_case() const {
  return std::ranges::any_of(normalize,
                             [](const std::string& step) { return step == "lowercase" || step == "casefold"; });
}

void declare(Options& o, TextConfig& c) {
  Check kinds;
  for (const TokenizerKind& kind : tokenizer_kinds()) {
    // sentencepiece runs the learned models of bpe and unigram, and users choose those.
    if (kind.name == "sentencepiece") continue;
    kinds.choices.emplace_back(kind.name);
    kinds.about.emplace_back(kind.about);
  }
  kinds.choices.insert(kinds.choices.end(), {"bpe", "unigram"});
  kinds.about.insert(kinds.about.end(), {"subwords learned by byte-pair encoding: the most frequent pairs are merged",
                                         "subwords learned as a unigram language model: the most probable split"});
  o.group("Text");
  o.key("data.tokenizer", c.tokenizer, "tokenizer; bpe and unigram learn subwords from the training text", kinds)
      .flag()
      .common();
  o.key("data.source_language", c.source_language,
        fmt::format("language of the source: selects its column, key or file, and tokenizer rules, which exist for {}",
                    word_rule_languages()))
      .value("CODE")
      .flag()
      .common();
  o.key("data.target_language", c.target_language,
        "language of the target: selects its column, key or file, and tokenizer rules")
      .value("CODE")
      .flag()
      .common();
  o.key("data.normalize", c.normalize, "normalization steps, applied in the given order before tokenizing",
        choices(normalization_steps(), normalization_lines()));
  o.key("data.subwords", c.subwords, "number of subwords to learn: in total if data.subword_joint, otherwise per side",
        range(2, 1e6))
      .flag()
      .common();
  o.key("data.subword_joint", c.subword_joint, "learn one set of subwords, and one vocabulary, for both sides");
  o.key("data.subword_sampling", c.subword_sampling,
        "subword regularization in training. bpe: probability of skipping a merge (BPE-dropout), usually 0.1; unigram: "
        "smoothing alpha, usually 0.1 to 0.5, smaller values vary the subwords more; 0 disables it",
        range(0, 1).below(1));
  o.key("data.placeholders", c.placeholders,
        "teach the model placeholder tokens: in half of the training pairs, numbers, addresses, code and placeholders "
        "that are identical on both sides become such tokens, and translation then masks and restores them");
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
