#include "translate/unknown_words.h"

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "translate/pipeline.h"

namespace heed::translate {

std::vector<std::string> UnknownWords::files(const std::string& text) {
  if (text == "keep" || text == "names" || text == "copy") return {};
  return {text};
}

UnknownWords UnknownWords::parse(const std::string& text) {
  if (text == "keep" || text == "names") return {};
  if (text == "copy") return {.replace = true};
  const std::vector<std::string> choices = {"keep", "names", "copy"};
  std::error_code ignored;
  check<UsageError>(text == "-" || std::filesystem::exists(text, ignored),
                    "--unknown: {} is not keep, names or copy, and there is no dictionary file of that name{}",
                    in_quotes(text), did_you_mean(text, choices));
  const auto dictionary = std::make_shared<text::WordMap<std::string>>();
  LineReader reader(text);
  for (std::string line; reader.next(line);) {
    if (line.empty()) continue;
    const std::size_t separator = line.find(line.find('\t') == std::string::npos ? ' ' : '\t');
    check<InputError>(separator != std::string::npos && separator > 0 && separator + 1 < line.size(),
                      "{}:{}: expected a word, a tab and its translation", reader.name(), reader.line_number());
    dictionary->emplace(line.substr(0, separator), line.substr(separator + 1));
  }
  return {.replace = true, .dictionary = dictionary};
}

std::string UnknownWords::replacement(std::string_view source_word) const {
  source_word = without_space_marks(source_word);
  if (dictionary)
    if (const auto found = dictionary->find(source_word); found != dictionary->end()) return found->second;
  return std::string(source_word);
}

}  // namespace heed::translate
