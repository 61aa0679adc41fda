#include "alignment/translations.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace heed::alignment {
namespace {

constexpr WordId kVocabulary = 40;

// Sentences of a few words in random order. The word s is translated by 3 s + 1 modulo the size of the vocabulary.
struct Texts {
  Texts() {
    for (std::uint32_t i = 0; i < 300; ++i) {
      const Random random(7, Stream::test, i);
      std::vector<WordId> s, t;
      for (std::uint64_t k = 0; k < 6; ++k) {
        s.push_back(random.below(k, kVocabulary));
        t.insert(t.begin() + static_cast<std::ptrdiff_t>(random.below(10 + k, static_cast<std::uint32_t>(k) + 1)),
                 translation(s.back()));
      }
      source.add(s);
      target.add(t);
    }
  }
  static WordId translation(WordId s) { return (3 * s + 1) % kVocabulary; }

  EncodedText source, target;
};

TEST(Translations, TheBestIsTheTranslation) {
  const Texts texts;
  const auto found = find_translations(texts.source, texts.target, {.most = 1});
  ASSERT_EQ(found.size(), kVocabulary);
  for (WordId s = 0; s < kVocabulary; ++s) EXPECT_EQ(found[s], std::vector<WordId>{Texts::translation(s)}) << s;
}

TEST(Translations, AreTheMostProbableInAscendingOrder) {
  const Texts texts;
  const auto found = find_translations(texts.source, texts.target, {.most = 5});
  const auto all = find_translations(texts.source, texts.target, {.most = 1000});
  for (WordId s = 0; s < kVocabulary; ++s) {
    EXPECT_EQ(found[s].size(), 5u);
    EXPECT_TRUE(std::ranges::is_sorted(found[s]));
    EXPECT_TRUE(std::ranges::binary_search(found[s], Texts::translation(s)));
    // All that co-occur.
    std::vector<WordId> expected;
    for (std::size_t i = 0; i < texts.source.size(); ++i)
      if (std::ranges::find(texts.source[i], s) != texts.source[i].end())
        expected.insert(expected.end(), texts.target[i].begin(), texts.target[i].end());
    std::ranges::sort(expected);
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    EXPECT_EQ(all[s], expected);
  }
}

TEST(Translations, OfNoTextAreNone) {
  EXPECT_TRUE(find_translations({}, {}).empty());
}

}  // namespace
}  // namespace heed::alignment
