#include "translate/repetition.h"

#include <algorithm>

namespace heed::translate {
namespace {

constexpr std::size_t kLongestLoop = 16;  // in tokens
// "very, very, very good" is good English.
constexpr std::size_t allowed_copies(std::size_t period) {
  return period == 1 ? 3 : 2;
}
// Without a repeated trigram, a word occurs at most 3 times in a row and no phrase more than twice.
constexpr int kSafeNgram = 3;

// The largest number of times that a phrase of `period` words occurs in a row.
std::size_t count_copies(Ids words, std::size_t period) {
  std::size_t same = 0, most = 0;  // consecutive words that equal those one period earlier
  for (std::size_t i = period; i < words.size(); ++i) {
    same = words[i] == words[i - period] ? same + 1 : 0;
    most = std::max(most, same);
  }
  return most / period + 1;
}

std::size_t most_copies(Ids words) {
  std::size_t most = 1;
  for (std::size_t period = 1; period <= kLongestLoop && 2 * period <= words.size(); ++period)
    most = std::max(most, count_copies(words, period));
  return most;
}

}  // namespace

Loop find_loop(Ids translation, Ids source, Ids prefix) {
  for (std::size_t period = 1; period <= kLongestLoop && 2 * period <= translation.size(); ++period) {
    const std::size_t copies = count_copies(translation, period);
    if (copies > allowed_copies(period) && copies > std::max(most_copies(source), most_copies(prefix)))
      return {period, copies};
  }
  return {};
}

int forbidden_ngram(const Loop& loop, int no_repeat, int attempt) {
  const int wanted = attempt == 0 ? std::max(kSafeNgram, 2 * static_cast<int>(loop.period)) : kSafeNgram;
  return attempt < 2 && (no_repeat == 0 || wanted < no_repeat) ? wanted : 0;
}

}  // namespace heed::translate
