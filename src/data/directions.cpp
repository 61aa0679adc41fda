#include "data/directions.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <unordered_set>

#include "base/error.h"
#include "base/utf8.h"
#include "data/formats/format.h"
#include "text/tokenizer.h"

namespace heed::data {
namespace {

constexpr int kPairs = 300;
constexpr std::size_t kFewWords = 20;  // fewer do not show anything
constexpr std::size_t kClearly = 4;    // times as many words must match the other way round

using Words = std::unordered_set<std::string>;
using Sides = std::array<Words, 2>;

struct Part {
  std::string name;
  Sides words;
  Languages languages;  // empty: not named

  bool names_languages() const { return !languages.source.empty() && !languages.target.empty(); }
};

Part read_part(const CorpusFiles& files, const CorpusPart& part) {
  CorpusFiles one = files;
  one.parts = {part};
  one.languages = {};
  one.notes = {};
  PairReader reader(one);
  Part result{.name = reader.name(Side::source), .words = {}, .languages = {}};
  SentencePair pair;
  for (int i = 0; i < kPairs && reader.next(pair); ++i)
    for (const auto& [side, text] : {std::pair(0U, &pair.source), std::pair(1U, &pair.target)})
      for (text::Token& word : text::whitespace_words(*text)) result.words[side].insert(std::move(word.text));
  result.languages = reader.languages();
  return result;
}

bool has_regular_files(const CorpusPart& part) {
  const auto is_regular = [](const std::string& path) {
    std::error_code ignored;
    return path.empty() || std::filesystem::is_regular_file(path, ignored);
  };
  return is_regular(part.file) && is_regular(part.source) && is_regular(part.target);
}

// The number of words that occur in `known` but not in `other`.
std::size_t matches(const Words& words, const Words& known, const Words& other) {
  return static_cast<std::size_t>(std::ranges::count_if(
      words, [&](const std::string& word) { return known.contains(word) && !other.contains(word); }));
}

}  // namespace

void check_directions(const CorpusFiles& files) {
  if (files.parts.size() < 2 || files.columns.given() || files.languages.asked() ||
      !std::ranges::all_of(files.parts, has_regular_files))
    return;
  std::vector<Part> parts;
  for (const CorpusPart& part : files.parts) {
    try {
      parts.push_back(read_part(files, part));
    } catch (const Error&) {
      return;  // whoever reads the whole file reports what is wrong with it
    }
  }
  Sides named;
  std::string first;
  Languages languages = files.languages;
  for (Part& part : parts) {
    if (!part.names_languages()) continue;
    if (languages.source.empty()) languages = part.languages;
    if (first.empty()) first = part.name;
    if (are_reversed(part.languages, languages)) std::swap(part.words[0], part.words[1]);
    for (const std::size_t side : {0U, 1U}) named[side].insert(part.words[side].begin(), part.words[side].end());
  }
  for (const Part& part : parts) {
    if (first.empty() || part.names_languages()) continue;
    const std::size_t straight =
        matches(part.words[0], named[0], named[1]) + matches(part.words[1], named[1], named[0]);
    const std::size_t crossed = matches(part.words[0], named[1], named[0]) + matches(part.words[1], named[0], named[1]);
    check<InputError>(crossed < kFewWords || crossed < kClearly * straight,
                      "the first side of {} has the words of the second side of {}, so its pairs seem to go the other "
                      "way; if so, give --columns 2,1, otherwise --source-language and --target-language",
                      in_quotes(part.name), in_quotes(first));
  }
}

}  // namespace heed::data
