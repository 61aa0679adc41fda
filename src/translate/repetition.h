// The guard against endless repetition ("la la la la …"), which poorly trained models fall into: it detects a
// translation that repeats a phrase again and again, and says which n-grams a second search must not repeat.
#pragma once

#include "search/search_job.h"

namespace heed::translate {

// A phrase that is repeated immediately after itself.
struct Loop {
  std::size_t period = 0;  // length of the phrase in tokens; 0: there is none
  std::size_t copies = 0;

  bool found() const { return period > 0; }
};

// The shortest phrase of up to 16 tokens that is repeated too often: a word more than 3 times in a row, or a longer
// phrase more than 2 times, and more often than anything in `source` or in `prefix`, with which the translation had to
// begin. Linear time, thread-safe.
Loop find_loop(Ids translation, Ids source, Ids prefix);

// The size of the n-grams that attempt `attempt`, counted from 0, must not repeat: at first so large that a good
// translation is hardly restricted, then so small that no loop in the sense of find_loop() is possible. Returns 0 if no
// attempt is left, or if another one is pointless because the search already forbids n-grams of the size `no_repeat`
// (0: it forbids none).
int forbidden_ngram(const Loop& loop, int no_repeat, int attempt);

}  // namespace heed::translate
