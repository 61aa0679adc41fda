// What replaces the symbol for unknown words in a translation: the symbol itself, the source word with the most
// attention, a dictionary's translation of that word, or only names and numbers (translate/unknown_names.h).
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

  // "keep", "names", "copy" or the path of a dictionary: one pair per line, separated by a tab or, without one, by the
  // first space. InputError with file and line for a line without two sides. "names" is left to the text layer, which
  // knows whether the model can: without one it is the same as "keep".
  static UnknownWords parse(const std::string& text);
  // The files that parse() reads.
  static std::vector<std::string> files(const std::string& text);
  // For the source word that a replaced symbol attended to.
  std::string replacement(std::string_view source_word) const;
};

}  // namespace heed::translate
