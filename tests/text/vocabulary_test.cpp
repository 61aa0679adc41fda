#include "text/vocabulary.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed {
namespace {

using Words = std::vector<std::string>;

text::Vocabulary build(const Words& words, const text::VocabularyOptions& options = {}) {
  text::VocabularyBuilder builder;
  for (const std::string& word : words) builder.add(word);
  return builder.build(options);
}

std::string failure(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Vocabulary, OrdersByFrequencyThenByFirstOccurrence) {
  const text::Vocabulary vocabulary = build({"b", "a", "c", "a", "c", "d"});
  EXPECT_EQ(vocabulary.serialize(), "<pad>\n<sos>\n<eos>\n<unk>\na\nc\nb\nd\n");
  EXPECT_EQ(vocabulary.id("a"), 4);
  EXPECT_EQ(vocabulary.word(7), "d");
  EXPECT_EQ(vocabulary.special().unk, 3);
}

TEST(Vocabulary, MinimumFrequencyAndMaximumSize) {
  EXPECT_EQ(build({"b", "a", "a"}, {.minimum_frequency = 2}).size(), 5);
  const text::Vocabulary small = build({"x", "y", "y", "z"}, {.maximum_size = 6});
  EXPECT_EQ(small.serialize(), "<pad>\n<sos>\n<eos>\n<unk>\ny\nx\n");
  EXPECT_EQ(small.id("z"), small.special().unk);
  EXPECT_NE(failure([] { build({"x"}, {.maximum_size = 4}); }).find("no room"), std::string::npos);
}

TEST(Vocabulary, SpecialSymbolsMayBeNamedOrLeftOut) {
  const text::VocabularyOptions options{.special = {.pad = "", .sos = "SOS", .eos = "EOS", .unk = ""}};
  const text::Vocabulary vocabulary = build({"a"}, options);
  EXPECT_EQ(vocabulary.serialize(), "SOS\nEOS\na\n");
  EXPECT_EQ(vocabulary.special().pad, -1);
  EXPECT_EQ(vocabulary.special().eos, 1);
  EXPECT_EQ(vocabulary.id("b"), -1);
  EXPECT_NE(failure([] { build({}, {.special = {.pad = "x", .sos = "x"}}); }).find("'x'"), std::string::npos);
}

TEST(Vocabulary, TextCannotContainSpecialSymbols) {
  const text::Vocabulary vocabulary = build({"<eos>", "a", "<pad>", "<pad>"});
  EXPECT_EQ(vocabulary.size(), 5);
  EXPECT_EQ(vocabulary.id("a"), 4);
  for (const char* word : {"<eos>", "<pad>", "<unk>"}) EXPECT_EQ(vocabulary.id(word), 3) << word;
}

TEST(Vocabulary, WordsOmitSpecialSymbols) {
  const text::Vocabulary vocabulary = build({"a"});
  EXPECT_EQ(vocabulary.words(std::vector<text::TokenId>{1, 4, 3, 2, 0}), (Words{"a", "<unk>"}));
  EXPECT_THROW(vocabulary.word(5), ShapeError);
  EXPECT_THROW(vocabulary.word(-1), ShapeError);
}

TEST(Vocabulary, ParseRestoresAnyWords) {
  const Words strange = {" ", "\t", "a b", "\\", "\\n", "\n", "x\r", "\xc3\xa9", "\\x", std::string(1, '\0')};
  const text::Vocabulary vocabulary = build(strange);
  const text::Vocabulary again = text::Vocabulary::parse(vocabulary.serialize(), {.unk = 3}, "v.txt");
  ASSERT_EQ(again.size(), vocabulary.size());
  for (text::TokenId id = 0; id < again.size(); ++id) EXPECT_EQ(again.word(id), vocabulary.word(id));
  EXPECT_EQ(again.special().unk, 3);
  EXPECT_EQ(again.serialize(), vocabulary.serialize());
}

TEST(Vocabulary, ReadsListsFromOtherPrograms) {
  const text::Vocabulary vocabulary = text::Vocabulary::parse("\xEF\xBB\xBF<unk>\r\na\r\n\\x", {.unk = 0}, "v.txt");
  EXPECT_EQ(vocabulary.size(), 3);
  EXPECT_EQ(vocabulary.word(0), "<unk>");
  EXPECT_EQ(vocabulary.word(2), "\\x");
  const text::Vocabulary by_id({"a", "END", "b"}, {.eos = 1});
  EXPECT_EQ(by_id.special().eos, 1);
  EXPECT_EQ(by_id.id("END"), -1);
}

TEST(Vocabulary, ParseReportsWhatIsWrong) {
  const auto parse = [&](std::string_view text) {
    return failure([&] { text::Vocabulary::parse(text, {}, "v.txt"); });
  };
  EXPECT_EQ(parse(""), "v.txt is empty; a vocabulary has one word per line");
  EXPECT_EQ(parse("a\n\nb\n"), "v.txt:2: the line is empty; a vocabulary has one word per line");
  EXPECT_EQ(parse("a\nb\na\n"), "v.txt:3: the word 'a' is already in line 1; remove one of the two");
  EXPECT_EQ(parse("a\n\xff\n"), "v.txt:2: the line is not valid UTF-8; is this a vocabulary?");
  EXPECT_EQ(failure([] { text::Vocabulary({"a"}, {.eos = 1}, "v.txt"); }),
            "the eos symbol of v.txt has id 1, but the ids run from 0 to 0");
}

TEST(Vocabulary, AddsCountsAndOmitsTheEmptyWord) {
  text::VocabularyBuilder builder;
  builder.add("a", 2);
  builder.add("b");
  builder.add("b", 2);
  builder.add("", 3);
  EXPECT_EQ(builder.build({}).word(4), "b");
  EXPECT_EQ(builder.build({}).size(), 6);
}

TEST(Vocabulary, IsExtendedByTheMostFrequentNewWords) {
  const text::Vocabulary base = build({"b", "a", "b"});
  text::VocabularyBuilder builder;
  for (const auto& [word, count] :
       {std::pair{"a", 9}, std::pair{"rare", 1}, std::pair{"new", 2}, std::pair{"newest", 5}, std::pair{"<eos>", 7}})
    builder.add(word, count);
  const text::Vocabulary extended = builder.build({.base = &base, .maximum_new = 10});
  EXPECT_EQ(extended.serialize(), base.serialize() + "newest\nnew\nrare\n");
  EXPECT_EQ(extended.special(), base.special());
  EXPECT_EQ(builder.build({.minimum_frequency = 2, .base = &base, .maximum_new = 10}).size(), base.size() + 2);
  EXPECT_EQ(builder.build({.base = &base, .maximum_new = 1}).serialize(), base.serialize() + "newest\n");
  EXPECT_EQ(builder.build({.base = &base}), base);
}

TEST(Vocabulary, AClosedSetKeepsItsOrder) {
  const text::Vocabulary vocabulary = text::closed_vocabulary(Words{"z", "<unk>", "a"}, {});
  EXPECT_EQ(vocabulary.serialize(), "<pad>\n<sos>\n<eos>\n<unk>\nz\na\n");
}

}  // namespace
}  // namespace heed
