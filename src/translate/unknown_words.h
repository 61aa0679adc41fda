// What replaces the symbol for unknown words in a translation: nothing, the source word with the most attention, a
// dictionary's translation of that word, or only names and numbers (translate/unknown_names.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace heed::translate {

struct UnknownWords {
  bool replace = false;                                               // false: the symbol stays
  std::shared_ptr<const text::WordMap<std::string>> dictionary = {};  // words that it does not have are copied
  bool only_names = false;                                            // with `replace`: other words are not copied

  // "keep", "names", "copy" or the path of a dictionary: a word and its translation per line, separated by a tab or,
  // without one, by the first space. UsageError if it is none of these, InputError with file and line for a line that
  // lacks either. "names" is the same as "keep" here: the text layer copies names if the model allows it
  // (TextOptions::copy_names).
  static UnknownWords parse(const std::string& text);
  // The files that parse() reads.
  static std::vector<std::string> files(const std::string& text);
  // What replaces a symbol that attended most to this source word.
  std::string replacement(std::string_view source_word) const;
};

}  // namespace heed::translate
