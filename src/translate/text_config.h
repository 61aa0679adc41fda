// How text becomes the words of a model and back: the part of a run's configuration that its model file keeps, so that
// the model can be given plain text. Config keys data.*; in the file as TOML under `heed.text`.
#pragma once

#include <string>
#include <vector>

#include "base/options.h"
#include "text/tokeniser.h"
#include "text/vocabulary.h"

namespace heed {

inline constexpr const char* kTextKey = "heed.text";

struct TextConfig {
  std::string tokeniser = "words";
  std::string source_language = "", target_language = "";
  std::vector<std::string> normalise;

  TokeniserOptions source() const { return {.kind = tokeniser, .language = source_language, .normalise = normalise}; }
  TokeniserOptions target() const { return {.kind = tokeniser, .language = target_language, .normalise = normalise}; }
};

void declare(Options& options, TextConfig& config);
std::string text_config_to_toml(const TextConfig& config);
TextConfig text_config_from_toml(std::string_view toml, std::string_view where);

// What heed calls the special symbols in vocabularies it builds.
inline const SpecialNames kSpecialNames{.pad = "", .sos = "<sos>", .eos = "<eos>", .unk = "<unk>"};

}  // namespace heed
