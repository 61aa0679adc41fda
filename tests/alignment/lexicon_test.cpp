#include "alignment/lexicon.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"

namespace heed::alignment {
namespace {

// Cells are numbered by source word and then by target word, whether a source word has many partners or few.
TEST(Lexicon, NumbersThePairsOfWordsInOrder) {
  const Random random(3, Stream::sample);
  std::uint64_t draw = 0;
  const auto word = [&](double frequent) {  // the first words are frequent
    const auto u = static_cast<double>(random.uniform(draw++));
    return static_cast<WordId>(u * u * u * frequent);
  };
  EncodedText source, target;
  std::set<std::pair<WordId, WordId>> pairs;
  for (int i = 0; i < 200; ++i) {
    std::vector<WordId> s(5), t(4);
    for (WordId& w : s) w = word(300);
    for (WordId& w : t) w = word(1000);
    source.add(s);
    target.add(t);
    for (const WordId a : s)
      for (const WordId b : t) pairs.emplace(a, b);
  }
  const Lexicon lexicon(source, target);
  ASSERT_EQ(lexicon.cells(), pairs.size());
  Lexicon::Cell expected = 0;
  for (const auto& [a, b] : pairs) EXPECT_EQ(lexicon.cell(a, b), expected++) << a << " and " << b;
}

}  // namespace
}  // namespace heed::alignment
