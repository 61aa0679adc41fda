#include "model/shortlist.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "base/utf8.h"

namespace heed::model {
namespace {

// The memory of a shortlist that is not in a file.
struct OwnedShortlist {
  std::vector<Id> begin = {0}, words, always;
};

void sort_unique(std::vector<Id>& words) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

bool is_ascending(Ids words) {
  return std::ranges::adjacent_find(words, std::greater_equal{}) == words.end();
}

void check_words(const Safetensors& file, const char* tensor, Ids words, Index vocabulary) {
  check<InputError>(words.empty() || (words.front() >= 0 && words.back() < vocabulary && is_ascending(words)),
                    "{}: {} holds target words that are not ascending ids from 0 to {}; `heed shortlist` makes a new "
                    "shortlist",
                    file.name(), tensor, vocabulary - 1);
}

// The tensor as a view of the file; copied to `copy` if it is not aligned or `owner` is null.
Ids numbers(const Safetensors& file, const char* name, const std::shared_ptr<const void>& owner,
            std::vector<Id>& copy) {
  const StoredTensor& tensor = file.tensor(name);
  check<InputError>(tensor.type == StoredType::i32 && tensor.shape.size() == 1,
                    "{}: {} is {} of shape {}, expected a row of I32", file.name(), in_quotes(tensor.name),
                    name_of(tensor.type), tensor.shape_string());
  const auto count = static_cast<std::size_t>(tensor.elements());
  if (owner && reinterpret_cast<std::uintptr_t>(tensor.data.data()) % alignof(Id) == 0)
    return {reinterpret_cast<const Id*>(tensor.data.data()), count};
  copy.resize(count);
  if (count > 0) std::memcpy(copy.data(), tensor.data.data(), tensor.data.size());
  return copy;
}

}  // namespace

Shortlist::Shortlist(const std::vector<std::vector<Id>>& candidates, std::vector<Id> always) {
  const auto memory = std::make_shared<OwnedShortlist>();
  memory->always = std::move(always);
  sort_unique(memory->always);
  for (std::vector<Id> words : candidates) {
    sort_unique(words);
    memory->words.insert(memory->words.end(), words.begin(), words.end());
    memory->begin.push_back(static_cast<Id>(memory->words.size()));
  }
  begin_ = memory->begin, words_ = memory->words, always_ = memory->always;
  owner_ = memory;
}

double Shortlist::mean_candidates() const {
  return source_words() == 0 ? 0 : static_cast<double>(words_.size()) / static_cast<double>(source_words());
}

std::vector<StoredTensor> Shortlist::stored() const {
  std::vector<StoredTensor> tensors;
  const Ids all[] = {begin_, words_, always_};
  for (std::size_t i = 0; i < kShortlistTensors.size(); ++i)
    tensors.push_back({kShortlistTensors[i], StoredType::i32, {std::ssize(all[i])}, std::as_bytes(all[i])});
  return tensors;
}

std::optional<Shortlist> Shortlist::read(const Safetensors& file, Index source_words, Index target_words,
                                         const std::shared_ptr<const void>& owner) {
  if (std::ranges::none_of(kShortlistTensors, [&](const char* name) { return file.find(name) != nullptr; })) return {};
  const auto [begin, words, always] = kShortlistTensors;
  const auto memory = std::make_shared<OwnedShortlist>();
  Shortlist list;
  // Copied, so that every range stays valid even if another program writes to the mapped file.
  list.begin_ = numbers(file, begin, nullptr, memory->begin);
  list.words_ = numbers(file, words, owner, memory->words);
  list.always_ = numbers(file, always, owner, memory->always);
  list.owner_ = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(owner, memory);
  const Ids from = list.begin_;
  check<InputError>(std::ssize(from) == source_words + 1 && from.front() == 0 && std::ranges::is_sorted(from) &&
                        from.back() == std::ssize(list.words_),
                    "{}: {} does not hold ascending offsets from 0 to {}, one for each of the {} source words and the "
                    "end; `heed shortlist` makes a new shortlist",
                    file.name(), begin, list.words_.size(), source_words);
  for (Id s = 0; s < source_words; ++s) check_words(file, words, list.candidates(s), target_words);
  check_words(file, always, list.always_, target_words);
  return list;
}

bool WordSet::add(const Shortlist& shortlist, Ids source) {
  for (std::size_t i = 0; i < source.size(); ++i) {
    const Ids words = shortlist.candidates(source[i]);
    if (words.empty() && i + 1 < source.size()) return false;
    add(words);
  }
  add(shortlist.always());
  return true;
}

void WordSet::take(std::vector<Id>& words) {
  words.clear();
  for (std::size_t i = 0; i < bits_.size(); ++i)
    for (std::uint64_t left = std::exchange(bits_[i], 0); left != 0; left &= left - 1)
      words.push_back(static_cast<Id>(64 * i) + std::countr_zero(left));
}

void ShortlistCoverage::add(Ids source, Ids target) {
  const bool all = !set_.add(shortlist_, source);
  set_.take(words_);
  ++sentences_;
  unused_ += all || static_cast<double>(words_.size()) > kLargestShortlist * static_cast<double>(vocabulary_) ? 1 : 0;
  candidates_ += all ? vocabulary_ : std::ssize(words_);
  tokens_ += std::ssize(target);
  for (const Id word : target) covered_ += all || std::ranges::binary_search(words_, word) ? 1 : 0;
}

}  // namespace heed::model
