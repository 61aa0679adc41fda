// The prompt of `heed translate MODEL` on a terminal: each line is translated at once, or is a command like `:attend`.
#pragma once

#include "translate/text_layer.h"

namespace heed::cli {

// Adds the source words that the model does not know, each once and without the punctuation around it; only if the
// result has warnings.
void collect_unknown_words(const translate::LineResult& result, std::vector<std::string>& words);
// "unknown to this model: zebra, Anna"
std::string unknown_note(std::span<const std::string> words);

// Reads until the end of the input or `:quit`. Returns the exit code.
int run_translate_prompt(translate::Translator& translator, const translate::TextOptions& text,
                         translate::TranslateOptions options);

}  // namespace heed::cli
