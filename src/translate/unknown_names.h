// Names and numbers of a sentence that a word-level model does not know. They replace its symbol for unknown words in
// the translation; other unknown words must not, because they would be in the wrong language.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/search_job.h"
#include "text/tokenizer.h"

namespace heed::translate {

// Whether a word may be the same in all languages: it has a digit or a capital letter.
bool looks_like_name(std::u32string_view word);

struct UnknownName {
  std::size_t token = 0;  // its index in the sentence
  std::string text;       // as in the sentence, even if the tokenizer changes it
};

// The tokens of a sentence that have the id `unknown` and look like names; their spans are in `text`. Thread-safe.
std::vector<UnknownName> find_unknown_names(std::span<const text::Token> tokens, Ids ids, Id unknown,
                                            std::string_view text);

// Chooses the names for the unknown words of one translation, each name once.
class NameCopier {
 public:
  // The names must outlive the copier.
  explicit NameCopier(std::span<const UnknownName> names) : names_(names), is_used_(names.size()) {}
  // The unused name with the most attention among `weights`, one per token; null if none is left.
  const UnknownName* choose(std::span<const float> weights);

 private:
  std::span<const UnknownName> names_;
  std::vector<bool> is_used_;
};

}  // namespace heed::translate
