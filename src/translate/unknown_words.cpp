#include "translate/unknown_words.h"

#include "base/error.h"
#include "base/files.h"
#include "translate/pipeline.h"

namespace heed::translate {

Dictionary::Dictionary(const std::string& path) {
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    const std::size_t parting = tab == std::string::npos ? line.find(' ') : tab;
    check<InputError>(parting != std::string::npos && parting > 0 && parting + 1 < line.size(),
                      "{}:{}: a dictionary's line has a word, a tab and its translation", reader.name(),
                      reader.line_number());
    words_.emplace(line.substr(0, parting), line.substr(parting + 1));
  }
}

const std::string* Dictionary::find(std::string_view word) const {
  const auto found = words_.find(word);
  return found == words_.end() ? nullptr : &found->second;
}

UnknownWords UnknownWords::parse(const std::string& text) {
  if (text == "keep") return {};
  if (text == "copy") return {.replace = true};
  return {.replace = true, .dictionary = std::make_shared<const Dictionary>(text)};
}

std::string UnknownWords::replacement(std::string_view source_word) const {
  source_word = without_space_marks(source_word);
  const std::string* found = dictionary ? dictionary->find(source_word) : nullptr;
  return found ? *found : std::string(source_word);
}

}  // namespace heed::translate
