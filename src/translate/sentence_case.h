// Sentences in all capitals, and headlines in title case. A model knows few words in capitals, so it reads such a
// sentence in the case that it knows best, and the translation gets the case of the sentence.
//
// Upper case: at least four letters, and none in lower case; the translation is in upper case, too. Title case: all
// words of four or more letters begin with a capital, and there are at least four of them; or the line has at least
// three words, does not end like a sentence, and only articles, prepositions and conjunctions are in lower case. An
// English translation of a headline gets capitals as well; others do not, because other languages write headlines like
// sentences. In German, where nouns have capitals, nothing counts as a headline. Protected spans and glossary terms
// keep their case. A model of words also reads a sentence differently if it knows the first word in lower case only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "translate/line_result.h"
#include "translate/pipeline.h"

namespace heed::translate {

enum class SentenceCase : std::uint8_t {
  normal,
  upper,
  title,
  initial,  // normal, but the model knows the first word in lower case only
};

// `language`: of the sentence. Never `initial`. Linear time. Thread-safe.
SentenceCase find_case(std::string_view sentence, std::string_view language);
// Also considers what the model knows: a word of three capitals is upper case if the model knows it in lower case only.
SentenceCase find_case(std::string_view sentence, const TextPipeline& pipeline);

// The sentence, which must be valid UTF-8, in the case that the model knows best. Each word becomes lower case or gets
// an initial capital or stays as it is, whichever has the fewest unknown tokens, then the fewest tokens, then the most
// frequent ones; the first word begins with a capital if the model knows it so. If the case is `initial`, only the
// first word changes. The positions of characters and bytes do not change. Thread-safe.
std::string recase(std::string_view sentence, SentenceCase letter_case, const TextPipeline& pipeline);

// Gives the translations of a recased sentence the case of the original, `sentence`. Tokens keep their text; all spans
// then refer to the new text, and warnings quote the original.
void restore_case(LineResult& result, SentenceCase letter_case, std::string_view sentence,
                  const TextPipeline& pipeline);

}  // namespace heed::translate
