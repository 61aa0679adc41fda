#include "data/guides.h"

#include <set>

#include "base/error.h"
#include "base/numbers.h"
#include "text/spans.h"

namespace heed::data {

namespace {

constexpr const char* kOneLinePerPair =
    "it needs one line of links for each pair; `heed align --pairs TEXT --out FILE` makes them from the training text";

}  // namespace

void GuideStore::add(Guides guides) {
  guides_.insert(guides_.end(), guides.begin(), guides.end());
  begins_.push_back(guides_.size());
}

GuideReader::GuideReader(const GuideFile& file) : file_(file), lines_(alignment::read_alignments(file.path, 0)) {}

std::vector<Guide> GuideReader::guides(std::int64_t line, std::string_view source_text, std::string_view target_text,
                                       std::span<const text::Token> source, std::span<const text::Token> target) const {
  check<InputError>(line <= std::ssize(lines_), "{} ends after line {}, but the training text has more pairs: {}",
                    file_.path, lines_.size(), kOneLinePerPair);
  const alignment::Alignment& links = lines_[static_cast<std::size_t>(line - 1)];
  const auto source_words = file_.source_words->tokenize(source_text);
  const auto target_words = file_.target_words->tokenize(target_text);
  std::vector<std::vector<std::uint32_t>> linked(target_words.size());  // source words of each target word
  for (const alignment::Link& link : links) {
    check<InputError>(
        link.source < source_words.size() && link.target < target_words.size(),
        "{}:{}: the link {}-{} is out of range: the source has {} and the target has {} (words are numbered from 0); "
        "were the links made from this text, with the same tokenizer and languages?",
        file_.path, line, link.source, link.target, counted(source_words.size(), "word"), target_words.size());
    linked[link.target].push_back(link.source);
  }
  std::vector<std::vector<std::int32_t>> tokens_of_word(source_words.size());
  const auto words_of_source = words_of_tokens(source, source_words);
  for (std::size_t s = 0; s < source.size(); ++s)
    for (const std::size_t word : words_of_source[s]) tokens_of_word[word].push_back(static_cast<std::int32_t>(s));

  std::vector<Guide> guides;
  const auto words_of_target = words_of_tokens(target, target_words);
  for (std::size_t t = 0; t < target.size(); ++t) {
    std::set<std::int32_t> columns;
    for (const std::size_t word : words_of_target[t])
      for (const std::uint32_t other : linked[word])
        columns.insert(tokens_of_word[other].begin(), tokens_of_word[other].end());
    const auto row = static_cast<std::int32_t>(t) + (file_.shift ? 1 : 0);
    for (const std::int32_t column : columns) guides.push_back({row, column, 1 / static_cast<float>(columns.size())});
  }
  return guides;
}

void GuideReader::check_lines(std::int64_t pairs) const {
  check<InputError>(std::ssize(lines_) == pairs, "{} has {} lines, but the training text has {} pairs: {}", file_.path,
                    lines_.size(), pairs, kOneLinePerPair);
}

}  // namespace heed::data
