#include "text/vocabulary.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"

namespace heed::text {

namespace {

// The escape of kEscaped[k] is a backslash and kLetters[k].
constexpr std::string_view kEscaped = "\n\r\\", kLetters = "nr\\";

std::string escape(std::string_view word) {
  std::string line;
  for (const char c : word) {
    const std::size_t k = kEscaped.find(c);
    if (k != kEscaped.npos) line += '\\';
    line += k != kEscaped.npos ? kLetters[k] : c;
  }
  return line;
}

std::string unescape(std::string_view line) {
  std::string word;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t k = line[i] == '\\' && i + 1 < line.size() ? kLetters.find(line[i + 1]) : kLetters.npos;
    word += k != kLetters.npos ? kEscaped[k] : line[i];
    if (k != kLetters.npos) ++i;
  }
  return word;
}

struct SpecialKind {
  std::string_view name;
  std::string SpecialNames::*symbol;
  TokenId SpecialIds::*id;
};
// In the order of their ids.
constexpr SpecialKind kSpecialKinds[] = {
    {"pad", &SpecialNames::pad, &SpecialIds::pad},
    {"sos", &SpecialNames::sos, &SpecialIds::sos},
    {"eos", &SpecialNames::eos, &SpecialIds::eos},
    {"unk", &SpecialNames::unk, &SpecialIds::unk},
};

// The special symbols, which precede all other words, and their ids.
struct SpecialSymbols {
  std::vector<std::string> words;
  SpecialIds ids;

  explicit SpecialSymbols(const SpecialNames& names) {
    for (const SpecialKind& kind : kSpecialKinds) {
      const std::string& symbol = names.*kind.symbol;
      if (symbol.empty()) continue;
      check<UsageError>(!contains(symbol), "two special symbols are called '{}'; each needs its own name", symbol);
      ids.*kind.id = static_cast<TokenId>(words.size());
      words.push_back(symbol);
    }
  }
  bool contains(std::string_view word) const { return std::ranges::find(words, word) != words.end(); }
};

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> words, const SpecialIds& special, std::string_view name)
    : words_(std::move(words)), special_(special) {
  constexpr std::size_t kMostWords = 100'000'000;
  check<InputError>(words_.size() <= kMostWords, "{} has {} words; at most {} are allowed", name, words_.size(),
                    kMostWords);
  for (const SpecialKind& kind : kSpecialKinds) {
    const TokenId id = special.*kind.id;
    check<InputError>(id >= -1 && id < size(), "the {} symbol of {} has id {}, but the ids run from 0 to {}", kind.name,
                      name, id, size() - 1);
  }
  ids_.reserve(words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const auto [found, is_new] = ids_.emplace(words_[i], static_cast<TokenId>(i));
    check<InputError>(is_new, "{}:{}: the word '{}' is already in line {}; remove one of the two", name, i + 1,
                      escape(words_[i]), found->second + 1);
  }
}

Vocabulary Vocabulary::parse(std::string_view contents, const SpecialIds& special, std::string_view name) {
  check<InputError>(!contents.empty(), "{} is empty; a vocabulary has one word per line", name);
  std::vector<std::string> words;
  for (std::size_t at = 0; at < contents.size();) {
    const std::size_t end = std::min(contents.find('\n', at), contents.size());
    std::string_view line = contents.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (words.empty() && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    check<InputError>(!line.empty(), "{}:{}: the line is empty; a vocabulary has one word per line", name,
                      words.size() + 1);
    check<InputError>(is_valid_utf8(line), "{}:{}: the line is not valid UTF-8; is this a vocabulary?", name,
                      words.size() + 1);
    words.push_back(unescape(line));
    at = end + 1;
  }
  return Vocabulary(std::move(words), special, name);
}

std::string Vocabulary::serialize() const {
  std::string contents;
  for (const std::string& word : words_) {
    contents += escape(word);
    contents += '\n';
  }
  return contents;
}

bool Vocabulary::is_special(TokenId id) const {
  return id >= 0 && (id == special_.pad || id == special_.sos || id == special_.eos || id == special_.unk);
}

TokenId Vocabulary::id(std::string_view word) const {
  const auto found = ids_.find(word);
  return found == ids_.end() || is_special(found->second) ? special_.unk : found->second;
}

const std::string& Vocabulary::word(TokenId id) const {
  check(id >= 0 && id < size(), "there is no word {} in a vocabulary of {}", id, size());
  return words_[static_cast<std::size_t>(id)];
}

std::vector<std::string> Vocabulary::words(std::span<const TokenId> ids) const {
  std::vector<std::string> found;
  for (const TokenId id : ids) {
    if (!is_special(id) || id == special_.unk) found.push_back(word(id));
  }
  return found;
}

void VocabularyBuilder::add(std::string_view word, std::int64_t count) {
  auto found = counts_.find(word);
  if (found == counts_.end()) found = counts_.emplace(word, Count{0, counts_.size()}).first;
  found->second.count += count;
}

Vocabulary VocabularyBuilder::build(const VocabularyOptions& options) const {
  if (options.base != nullptr) return extend(options);
  const SpecialSymbols special(options.special);
  const auto specials = static_cast<std::int64_t>(special.words.size());
  check<UsageError>(options.maximum_size == 0 || options.maximum_size > specials,
                    "a vocabulary of {} has no room for words besides its {} special symbols", options.maximum_size,
                    specials);
  const auto most =
      options.maximum_size > 0 ? static_cast<std::size_t>(options.maximum_size - specials) : counts_.size();
  std::vector<std::string> words = special.words;
  std::ranges::move(
      most_frequent(options.minimum_frequency, most, [&](const std::string& word) { return !special.contains(word); }),
      std::back_inserter(words));
  return Vocabulary(std::move(words), special.ids);
}

Vocabulary VocabularyBuilder::extend(const VocabularyOptions& options) const {
  const Vocabulary& base = *options.base;
  std::vector<std::string> words;
  for (TokenId id = 0; id < base.size(); ++id) words.push_back(base.word(id));
  std::ranges::move(most_frequent(options.minimum_frequency, static_cast<std::size_t>(options.maximum_new),
                                  [&](const std::string& word) { return !base.contains(word); }),
                    std::back_inserter(words));
  return Vocabulary(std::move(words), base.special());
}

std::vector<std::string> VocabularyBuilder::most_frequent(
    std::int64_t minimum_frequency, std::size_t most,
    const std::function<bool(const std::string& word)>& wanted) const {
  std::vector<std::pair<std::string_view, Count>> entries;
  for (const auto& [word, count] : counts_)
    // An empty word would be an empty line, which is not allowed.
    if (!word.empty() && count.count >= minimum_frequency && wanted(word)) entries.emplace_back(word, count);
  std::ranges::sort(entries, {}, [](const auto& entry) { return std::pair(-entry.second.count, entry.second.order); });
  entries.resize(std::min(entries.size(), most));
  std::vector<std::string> words;
  for (const auto& entry : entries) words.emplace_back(entry.first);
  return words;
}

Vocabulary closed_vocabulary(std::span<const std::string> words, const SpecialNames& names) {
  const SpecialSymbols special(names);
  std::vector<std::string> all = special.words;
  std::ranges::copy_if(words, std::back_inserter(all), [&](const std::string& w) { return !special.contains(w); });
  return Vocabulary(std::move(all), special.ids);
}

}  // namespace heed::text
