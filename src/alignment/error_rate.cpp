#include "alignment/error_rate.h"

#include <algorithm>

#include "base/error.h"

namespace heed::alignment {

namespace {

double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void AlignmentScore::add(std::span<const Link> hypothesis, std::span<const Link> gold) {
  const Alignment found = tidy(hypothesis), expected = tidy(gold);
  links_ += std::ssize(found);
  possible_ += std::ssize(expected);
  sure_ += std::ranges::count_if(expected, [](const Link& link) { return link.sure; });
  for (const Link& link : expected) {
    if (!std::ranges::binary_search(found, link.words(), {}, &Link::words)) continue;
    ++matched_possible_;
    matched_sure_ += link.sure;
  }
}

AlignmentScore score_alignments(std::span<const Alignment> hypothesis, std::span<const Alignment> gold) {
  check<InputError>(hypothesis.size() == gold.size(),
                    "there are {} alignments, but {} gold alignments to score them against", hypothesis.size(),
                    gold.size());
  AlignmentScore score;
  for (std::size_t i = 0; i < gold.size(); ++i) score.add(hypothesis[i], gold[i]);
  check<InputError>(score.possible_links() > 0,
                    "the gold alignments contain no links, so there is nothing to score against");
  return score;
}

double AlignmentScore::precision() const {
  return percent(matched_possible_, links_);
}

double AlignmentScore::recall() const {
  return percent(matched_sure_, sure_);
}

double AlignmentScore::aer() const {
  return links_ + sure_ == 0 ? 0 : 100 - percent(matched_sure_ + matched_possible_, links_ + sure_);
}

}  // namespace heed::alignment
