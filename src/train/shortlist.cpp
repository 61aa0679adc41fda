#include "train/shortlist.h"

#include <algorithm>
#include <numeric>

#include "alignment/translations.h"

namespace heed::train {
namespace {

constexpr std::size_t kFrequentWords = 100;
// A pair is used if one of its words occurs in fewer pairs before it that are used.
constexpr std::uint32_t kEnoughPairs = 50;
// The most combinations of a source and a target word that are used, over all pairs, and in one pair.
constexpr std::size_t kMaxCells = 32'000'000, kMaxPairCells = 10'000;

// Counts the words of the pairs that are used so far.
class PairChooser {
 public:
  PairChooser(const text::Vocabulary& source, const text::Vocabulary& target)
      : source_(static_cast<std::size_t>(source.size())), target_(static_cast<std::size_t>(target.size())) {}

  bool uses(Ids source, Ids target) {
    const std::size_t cells = source.size() * target.size();
    if (cells == 0 || cells > kMaxPairCells || cells_ + cells > kMaxCells) return false;
    const auto is_rare = [](const std::vector<std::uint32_t>& counts) {
      return [&counts](Id word) { return counts[static_cast<std::size_t>(word)] < kEnoughPairs; };
    };
    if (std::ranges::none_of(source, is_rare(source_)) && std::ranges::none_of(target, is_rare(target_))) return false;
    for (const Id word : source) ++source_[static_cast<std::size_t>(word)];
    for (const Id word : target) ++target_[static_cast<std::size_t>(word)];
    cells_ += cells;
    return true;
  }

 private:
  std::vector<std::uint32_t> source_, target_;  // by word
  std::size_t cells_ = 0;
};

// The special symbols and the most frequent words; among equals those with the smallest ids.
std::vector<Id> words_of_every_sentence(const std::vector<std::int64_t>& counts, const text::Vocabulary& words) {
  std::vector<Id> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{}, [&](Id word) { return counts[static_cast<std::size_t>(word)]; });
  order.resize(std::min(order.size(), kFrequentWords));
  std::erase_if(order, [&](Id word) { return counts[static_cast<std::size_t>(word)] == 0; });
  for (Id word = 0; word < words.size(); ++word)
    if (words.is_special(word)) order.push_back(word);
  return order;
}

}  // namespace

model::Shortlist learn_shortlist(const data::ExampleStore& examples, const text::Vocabulary& source,
                                 const text::Vocabulary& target, const model::Shortlist* extended) {
  PairChooser chooser(source, target);
  alignment::EncodedText source_text, target_text;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(target.size()));
  const auto add = [](alignment::EncodedText& text, Ids words) {
    text.add(std::vector<alignment::WordId>(words.begin(), words.end()));
  };
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const Ids all = examples.target(i);
    for (const Id word : all) ++counts[static_cast<std::size_t>(word)];
    // Without the end symbols.
    const Ids own = examples.source(i).first(examples.source(i).size() - 1), other = all.first(all.size() - 1);
    if (!chooser.uses(own, other)) continue;
    add(source_text, own);
    add(target_text, other);
  }
  std::vector<std::vector<Id>> candidates(static_cast<std::size_t>(source.size()));
  const auto found = alignment::find_translations(source_text, target_text);
  for (std::size_t s = 0; s < found.size(); ++s) candidates[s].assign(found[s].begin(), found[s].end());
  std::vector<Id> always = words_of_every_sentence(counts, target);
  const auto append = [](std::vector<Id>& words, Ids more) { words.insert(words.end(), more.begin(), more.end()); };
  for (Id s = 0; extended != nullptr && s < static_cast<Id>(extended->source_words()); ++s)
    append(candidates[static_cast<std::size_t>(s)], extended->candidates(s));
  if (extended != nullptr) append(always, extended->always());
  for (Id word = 0; word < source.size(); ++word) {
    const Id same = target.id(source.word(word));
    std::vector<Id>& own = candidates[static_cast<std::size_t>(word)];
    if (!own.empty() && same >= 0 && same != target.special().unk) own.push_back(same);
  }
  return {candidates, std::move(always)};
}

}  // namespace heed::train
