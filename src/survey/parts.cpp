#include "survey/parts.h"

#include <algorithm>

namespace heed::survey {

namespace {

// A line of ten million words is counted among those of this many.
constexpr std::size_t kLongestCounted = 100'000;

}  // namespace

std::size_t SideCounter::add(std::string_view line, const LineTraits& traits) {
  const std::vector<text::Token> tokens = tokenizer_.tokenize(line);
  for (const text::Token& token : tokens) {
    auto found = counts_.find(token.text);
    if (found == counts_.end()) found = counts_.emplace(token.text, 0).first;
    ++found->second;
  }
  survey_.words += static_cast<std::int64_t>(tokens.size());
  survey_.characters += traits.characters;
  const std::size_t length = std::min(tokens.size(), kLongestCounted);
  if (survey_.lengths.size() <= length) survey_.lengths.resize(length + 1);
  ++survey_.lengths[length];
  if (++lines_ == next_growth_) note_growth();
  return tokens.size();
}

void SideCounter::note_growth() {
  survey_.growth.push_back({lines_, static_cast<std::int64_t>(counts_.size())});
  // 1, 2, 5, 10, 20, 50, …
  std::int64_t power = 1;
  while (power * 10 <= next_growth_) power *= 10;
  next_growth_ += next_growth_ == power ? power : next_growth_ == 2 * power ? 3 * power : 5 * power;
}

SideSurvey SideCounter::finish() {
  if (survey_.growth.empty() || survey_.growth.back().pairs != lines_)
    survey_.growth.push_back({lines_, static_cast<std::int64_t>(counts_.size())});
  std::vector<std::int64_t> counts;
  counts.reserve(counts_.size());
  for (const auto& [word, count] : counts_) counts.push_back(count);
  std::ranges::sort(counts, std::greater<>());
  survey_.distinct = static_cast<std::int64_t>(counts.size());
  survey_.once = std::ranges::count(counts, 1);
  std::int64_t covered = 0, used = 0;
  for (const double share : {0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0}) {
    while (used < survey_.distinct && static_cast<double>(covered) < share * static_cast<double>(survey_.words))
      covered += counts[static_cast<std::size_t>(used++)];
    survey_.coverage.push_back({share, used});
  }
  const auto& letters = scanner_.script_letters();
  std::int64_t all = 0;
  for (const std::int64_t count : letters) all += count;
  const auto most = std::ranges::max_element(letters);
  if (all > 0) {
    survey_.script = static_cast<text::Script>(most - letters.begin());
    survey_.script_share = static_cast<double>(*most) / static_cast<double>(all);
  }
  return survey_;
}

HeldOutIndex::HeldOutIndex(const HeldOutFiles& files, const SurveyOptions& options) {
  data::PairReader reader(files.files);
  survey_.label = files.label;
  survey_.source_name = reader.name(data::Side::source);
  survey_.target_name = reader.name(data::Side::target);
  LineScanner scanner;
  const auto count = [](const text::Tokenizer& tokenizer, std::string_view line, text::WordMap<std::int64_t>& words) {
    const std::vector<text::Token> tokens = tokenizer.tokenize(line);
    for (const text::Token& token : tokens) ++words[token.text];
    return static_cast<std::int64_t>(tokens.size());
  };
  for (data::SentencePair pair; reader.next(pair);) {
    const LineTraits source = scanner.scan(pair.source), target = scanner.scan(pair.target);
    const Line line{source.folded_hash, target.folded_hash, pair_hash(source, target)};
    sources_.try_emplace(line.source, Place{pair.line, 0});
    targets_.try_emplace(line.target, Place{pair.line, 0});
    pairs_.try_emplace(line.pair, Place{pair.line, 0});
    lines_.push_back(line);
    survey_.source_words += count(*options.source_tokenizer, pair.source, source_words_);
    survey_.target_words += count(*options.target_tokenizer, pair.target, target_words_);
  }
  // A line without a letter or number says nothing about leakage.
  for (Places* places : {&sources_, &targets_, &pairs_}) places->erase(0);
  survey_.pairs = reader.pairs();
}

std::uint64_t HeldOutIndex::pair_hash(const LineTraits& source, const LineTraits& target) {
  if (source.folded_hash == 0 || target.folded_hash == 0) return 0;
  return source.folded_hash * 0x9E3779B97F4A7C15ULL + target.folded_hash;
}

std::int64_t HeldOutIndex::meet_one(Places& places, std::uint64_t hash, std::int64_t training_line) {
  const auto found = places.find(hash);
  if (found == places.end()) return 0;
  if (found->second.training == 0) found->second.training = training_line;
  return found->second.line;
}

std::int64_t HeldOutIndex::meet(const LineTraits& source, const LineTraits& target, std::int64_t training_line) {
  meet_one(pairs_, pair_hash(source, target), training_line);
  const std::int64_t a = meet_one(sources_, source.folded_hash, training_line);
  const std::int64_t b = meet_one(targets_, target.folded_hash, training_line);
  return a > 0 ? a : b;
}

HeldOutSurvey HeldOutIndex::finish(const SideCounter& source, const SideCounter& target, std::size_t cases) {
  const auto training = [](const Places& places, std::uint64_t hash) {
    const auto found = places.find(hash);
    return found == places.end() ? 0 : found->second.training;
  };
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::int64_t s = training(sources_, lines_[i].source), t = training(targets_, lines_[i].target);
    survey_.source_seen += s > 0;
    survey_.target_seen += t > 0;
    survey_.pair_seen += training(pairs_, lines_[i].pair) > 0;
    if ((s > 0 || t > 0) && survey_.cases.size() < cases)
      survey_.cases.push_back({.line = static_cast<std::int64_t>(i) + 1, .other_line = s > 0 ? s : t});
  }
  for (const auto& [word, count] : source_words_) survey_.source_unknown += source.knows(word) ? 0 : count;
  for (const auto& [word, count] : target_words_) survey_.target_unknown += target.knows(word) ? 0 : count;
  return survey_;
}

}  // namespace heed::survey
