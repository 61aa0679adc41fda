// How text becomes the tokens of a model and back: the part of a run's configuration that the model file stores, so
// that the model can translate plain text. Config keys data.*; in the file as TOML under `heed.text`.
#pragma once

#include <string>
#include <vector>

#include "base/options.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace heed::text {

inline constexpr const char* kTextKey = "heed.text";

struct TextConfig {
  std::string tokenizer = "words";  // a kind from text/tokenizer.h, or subwords: "bpe", "unigram"
  std::string source_language = "", target_language = "";
  std::vector<std::string> normalize;
  int subwords = 8000;
  bool subword_joint = false;
  double subword_sampling = 0;
  bool placeholders = false;  // the model has learned placeholder tokens: text/placeholders.h

  // Whether a model of this text writes lower case only, so that a comparison with its output has to ignore case.
  bool writes_lower_case() const;
  bool has_subwords() const { return tokenizer == "bpe" || tokenizer == "unigram"; }
  // `subword_model` as train_subwords() returns it; empty if the tokenizer has no subwords.
  TokenizerOptions source(const std::string& subword_model = {}) const { return side(source_language, subword_model); }
  TokenizerOptions target(const std::string& subword_model = {}) const { return side(target_language, subword_model); }

 private:
  TokenizerOptions side(const std::string& language, const std::string& subword_model) const {
    return {.kind = has_subwords() ? "sentencepiece" : tokenizer,
            .language = language,
            .normalize = normalize,
            .subword_model = subword_model};
  }
};

void declare(Options& options, TextConfig& config);
std::string text_config_to_toml(const TextConfig& config);
TextConfig text_config_from_toml(std::string_view toml, std::string_view where);

// The names of the special symbols in vocabularies that heed builds. There is no symbol for padding.
inline const SpecialNames kSpecialNames{.pad = "", .sos = "<sos>", .eos = "<eos>", .unk = "<unk>"};

}  // namespace heed::text
