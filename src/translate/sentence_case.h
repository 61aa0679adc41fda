// Sentences in all capitals and headlines: a model knows few words in capitals, so it reads such a sentence in the case
// that it knows best, and its translation gets the case of the sentence.
//
// Upper case: at least two words with together four letters, and no letter in lower case; the translation is in upper
// case, too. Title case: at least four words of four letters, all of which begin with a capital; an English translation
// gets capitals as well, others stay as they are, because other languages write headlines as sentences. In German,
// where nouns have capitals, nothing is a headline. Protected spans and the terms of a glossary keep their case.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "translate/line_result.h"
#include "translate/pipeline.h"

namespace heed::translate {

enum class SentenceCase : std::uint8_t { normal, upper, title };

// Linear time. Thread-safe.
SentenceCase find_case(std::string_view sentence, std::string_view language);

// The sentence in the case that the model knows: of each word in lower case, with a capital and as it is, the one with
// the fewest unknown words and tokens, and of those the one with the most frequent tokens. Valid UTF-8. Characters and
// bytes stay where they are. Thread-safe.
std::string recase(std::string_view sentence, SentenceCase letter_case, const TextPipeline& pipeline);

// Gives the translations of a recased sentence its case; tokens keep their text, and all spans refer to the new text.
// Warnings quote `sentence`.
void restore_case(LineResult& result, SentenceCase letter_case, std::string_view sentence,
                  const TextPipeline& pipeline);

}  // namespace heed::translate
