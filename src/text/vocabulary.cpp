#include "text/vocabulary.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"

namespace heed::text {

namespace {

std::string escape(std::string_view word) {
  std::string line;
  for (const char c : word) {
    if (c == '\n')
      line += "\\n";
    else if (c == '\r')
      line += "\\r";
    else if (c == '\\')
      line += "\\\\";
    else
      line += c;
  }
  return line;
}

std::string unescape(std::string_view line) {
  std::string word;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char next = line[i] == '\\' && i + 1 < line.size() ? line[i + 1] : '\0';
    if (next == 'n' || next == 'r' || next == '\\') {
      word += next == 'n' ? '\n' : next == 'r' ? '\r' : '\\';
      ++i;
    } else {
      word += line[i];
    }
  }
  return word;
}

// The special symbols that there are, in the order of their ids.
std::vector<std::string> listed(const SpecialNames& special) {
  std::vector<std::string> names;
  for (const std::string* name : {&special.pad, &special.sos, &special.eos, &special.unk}) {
    if (name->empty()) continue;
    check<UsageError>(std::ranges::find(names, *name) == names.end(),
                      "two special symbols are called '{}'; each needs a name of its own", *name);
    names.push_back(*name);
  }
  return names;
}

Vocabulary with_special(std::vector<std::string> words, const SpecialNames& special) {
  SpecialIds ids;
  TokenId next = 0;
  if (!special.pad.empty()) ids.pad = next++;
  if (!special.sos.empty()) ids.sos = next++;
  if (!special.eos.empty()) ids.eos = next++;
  if (!special.unk.empty()) ids.unk = next++;
  return Vocabulary(std::move(words), ids);
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> words, const SpecialIds& special, std::string_view name)
    : words_(std::move(words)), special_(special) {
  constexpr std::size_t kMostWords = 100'000'000;
  check<InputError>(words_.size() <= kMostWords, "{} holds {} words; at most {} are possible", name, words_.size(),
                    kMostWords);
  const auto check_id = [&](std::string_view kind, TokenId id) {
    check<InputError>(id >= -1 && id < size(), "the {} symbol of {} has id {}, but the ids run from 0 to {}", kind,
                      name, id, size() - 1);
  };
  check_id("pad", special.pad);
  check_id("sos", special.sos);
  check_id("eos", special.eos);
  check_id("unk", special.unk);
  ids_.reserve(words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const auto [found, is_new] = ids_.emplace(words_[i], static_cast<TokenId>(i));
    check<InputError>(is_new, "{}:{}: the word '{}' stands in line {} already; remove one of the two", name, i + 1,
                      escape(words_[i]), found->second + 1);
  }
}

Vocabulary Vocabulary::parse_lines(std::string_view contents, const SpecialIds& special, std::string_view name) {
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

Vocabulary Vocabulary::parse(std::string_view contents, const SpecialNames& special, std::string_view name) {
  Vocabulary vocabulary = parse_lines(contents, {}, name);
  const auto find = [&](std::string_view kind, const std::string& symbol) -> TokenId {
    if (symbol.empty()) return -1;
    const auto found = vocabulary.ids_.find(symbol);
    check<InputError>(found != vocabulary.ids_.end(),
                      "{} has no line '{}', its {} symbol; add the line or name another symbol", name, symbol, kind);
    return found->second;
  };
  vocabulary.special_ = {.pad = find("pad", special.pad),
                         .sos = find("sos", special.sos),
                         .eos = find("eos", special.eos),
                         .unk = find("unk", special.unk)};
  return vocabulary;
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

std::vector<TokenId> Vocabulary::ids(std::span<const std::string> words) const {
  std::vector<TokenId> found;
  found.reserve(words.size());
  for (const std::string& word : words) found.push_back(id(word));
  return found;
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
  if (found == counts_.end()) found = counts_.emplace(word, Count{0, distinct()}).first;
  found->second.count += count;
  total_ += count;
}

void VocabularyBuilder::add(std::span<const std::string> words) {
  for (const std::string& word : words) add(word);
}

Vocabulary VocabularyBuilder::build(const VocabularyOptions& options) const {
  std::vector<std::string> words = listed(options.special);
  const auto specials = static_cast<std::int64_t>(words.size());
  check<UsageError>(options.maximum_size == 0 || options.maximum_size > specials,
                    "a vocabulary of {} has no room for words beside its {} special symbols", options.maximum_size,
                    specials);
  struct Entry {
    std::string_view word;
    Count count;
  };
  std::vector<Entry> entries;
  for (const auto& [word, count] : counts_) {
    const bool special = std::ranges::find(words, word) != words.end();
    // An empty word has no line of its own in the file.
    if (!special && !word.empty() && count.count >= options.minimum_frequency) entries.push_back({word, count});
  }
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return a.count.count != b.count.count ? a.count.count > b.count.count : a.count.first_seen < b.count.first_seen;
  });
  if (options.maximum_size > 0)
    entries.resize(std::min(entries.size(), static_cast<std::size_t>(options.maximum_size - specials)));
  for (const Entry& entry : entries) words.emplace_back(entry.word);
  return with_special(std::move(words), options.special);
}

Vocabulary closed_vocabulary(std::span<const std::string> words, const SpecialNames& special) {
  std::vector<std::string> all = listed(special);
  const std::vector<std::string> names = all;
  for (const std::string& word : words) {
    if (std::ranges::find(names, word) == names.end()) all.push_back(word);
  }
  return with_special(std::move(all), special);
}

}  // namespace heed::text
