// What is written where a model says "unknown word": the symbol itself, the source word it attended to most, or what a
// dictionary has for that word.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/vocabulary.h"

namespace heed::translate {

// Words and their translations from a file: one pair per line, a tab (or, without one, the first space) between them.
// Constant.
class Dictionary {
 public:
  // InputError that names the file and line for a line without two sides.
  explicit Dictionary(const std::string& path);

  // Null if the word is not there.
  const std::string* find(std::string_view word) const;

 private:
  text::WordMap<std::string> words_;
};

struct UnknownWords {
  bool replace = false;                               // false: the symbol stays
  std::shared_ptr<const Dictionary> dictionary = {};  // words it does not have are copied

  // "keep", "copy" or a dictionary's path.
  static UnknownWords parse(const std::string& text);
  // For a source word that a replaced symbol attended to.
  std::string replacement(std::string_view source_word) const;
};

}  // namespace heed::translate
