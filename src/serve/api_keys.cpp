#include "serve/api_keys.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/utf8.h"

namespace heed::serve {
namespace {

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t from = line.find_first_not_of(" \t\r");
    if (from == std::string_view::npos) return words;
    line.remove_prefix(from);
    words.push_back(line.substr(0, line.find_first_of(" \t\r")));
    line.remove_prefix(words.back().size());
  }
}

ApiKeys::Key parse_key(std::span<const std::string_view> words, const std::string& path, std::size_t line) {
  constexpr int kMostPerMinute = 1'000'000;
  const std::optional<Sha256> digest = words.size() >= 2 ? parse_sha256(words[1]) : std::nullopt;
  check<InputError>(
      digest && words.size() <= 3,
      "{}:{}: expected a name, the SHA-256 of a key (64 hexadecimal digits) and, optionally, the requests per minute",
      path, line);
  ApiKeys::Key key{.name = std::string(words[0]), .digest = *digest};
  if (words.size() == 3) {
    const char* end = words[2].data() + words[2].size();
    const auto [at, error] = std::from_chars(words[2].data(), end, key.per_minute);
    check<InputError>(error == std::errc() && at == end && key.per_minute >= 0 && key.per_minute <= kMostPerMinute,
                      "{}:{}: {} is not a number of requests per minute from 0 to {}", path, line, in_quotes(words[2]),
                      kMostPerMinute);
  }
  return key;
}

}  // namespace

ApiKeys::ApiKeys(const std::string& path) {
  const std::string text = read_file(path);
  std::string_view rest = text;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::string_view content = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(content.size() + 1, rest.size()));
    const std::vector<std::string_view> words = split_words(content);
    if (words.empty() || words[0].starts_with('#')) continue;
    Entry entry{.key = parse_key(words, path, line)};
    entry.left = entry.key.per_minute;
    check<InputError>(std::ranges::none_of(entries_, [&](const Entry& e) { return e.key.name == entry.key.name; }),
                      "{}:{}: the name {} is used twice; give every key its own name", path, line,
                      in_quotes(entry.key.name));
    entries_.push_back(std::move(entry));
  }
  check<InputError>(!entries_.empty(), "{} has no keys, so nobody could use the server; add one or leave out --keys",
                    path);
}

// Compares with every digest in full, so that the time taken tells nothing about the keys.
const ApiKeys::Key* ApiKeys::find(std::string_view key) const {
  const Sha256 digest = sha256(key);
  const Key* found = nullptr;
  for (const Entry& entry : entries_) {
    std::uint8_t difference = 0;
    for (std::size_t i = 0; i < digest.size(); ++i) difference |= digest[i] ^ entry.key.digest[i];
    if (difference == 0) found = &entry.key;
  }
  return found;
}

bool ApiKeys::take(const Key& key, Clock::time_point now) {
  if (key.per_minute == 0) return true;
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return &entry.key == &key; });
  Entry& entry = *found;
  if (entry.last != Clock::time_point{}) {
    const double minutes = std::chrono::duration<double, std::ratio<60>>(now - entry.last).count();
    entry.left = std::min<double>(entry.left + minutes * key.per_minute, key.per_minute);
  }
  entry.last = now;
  if (entry.left < 1) return false;
  entry.left -= 1;
  return true;
}

}  // namespace heed::serve
