// What replaces the symbol for unknown words in a translation: the symbol itself, the source word with the most
// attention, or a dictionary's translation of that word.
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

  // "keep", "copy" or the path of a dictionary: one pair per line, separated by a tab or, without one, by the first
  // space. InputError with file and line for a line without two sides.
  static UnknownWords parse(const std::string& text);
  // The files that parse() reads.
  static std::vector<std::string> files(const std::string& text);
  // For the source word that a replaced symbol attended to.
  std::string replacement(std::string_view source_word) const;
};

}  // namespace heed::translate
