// The prompt of `heed translate MODEL` on a terminal: each line is translated at once, or is a command like `:attend`.
#pragma once

#include "translate/text_layer.h"

namespace heed::cli {

// Reads until the end of the input or `:quit`. Returns the exit code.
int run_translate_prompt(translate::Translator& translator, const translate::TextOptions& layer,
                         translate::TranslateOptions options);

}  // namespace heed::cli
