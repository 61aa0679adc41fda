#include "text/vocabulary.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed {
namespace {

using Words = std::vector<std::string>;

text::Vocabulary build(const Words& words, const text::VocabularyOptions& options = {}) {
  text::VocabularyBuilder builder;
  builder.add(words);
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

TEST(Vocabulary, OrdersByFrequencyThenByFirstSeen) {
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

TEST(Vocabulary, TextCannotNameASpecialSymbol) {
  const text::Vocabulary vocabulary = build({"<eos>", "a", "<pad>", "<pad>"});
  EXPECT_EQ(vocabulary.size(), 5);
  EXPECT_EQ(vocabulary.ids(Words{"<eos>", "a", "<pad>", "<unk>"}), (std::vector<text::TokenId>{3, 4, 3, 3}));
}

TEST(Vocabulary, WordsLeaveSpecialSymbolsOut) {
  const text::Vocabulary vocabulary = build({"a"});
  EXPECT_EQ(vocabulary.words(std::vector<text::TokenId>{1, 4, 3, 2, 0}), (Words{"a", "<unk>"}));
  EXPECT_THROW(vocabulary.word(5), ShapeError);
  EXPECT_THROW(vocabulary.word(-1), ShapeError);
}

TEST(Vocabulary, TheFileComesBackWhateverTheWords) {
  const Words strange = {" ", "\t", "a b", "\\", "\\n", "\n", "x\r", "\xc3\xa9", "\\x", std::string(1, '\0')};
  const text::Vocabulary vocabulary = build(strange);
  const text::Vocabulary again = text::Vocabulary::parse(vocabulary.serialize(), {}, "v.txt");
  ASSERT_EQ(again.size(), vocabulary.size());
  for (text::TokenId id = 0; id < again.size(); ++id) EXPECT_EQ(again.word(id), vocabulary.word(id));
  EXPECT_EQ(again.special().unk, 3);
  EXPECT_EQ(again.serialize(), vocabulary.serialize());
}

TEST(Vocabulary, ReadsListsFromElsewhere) {
  const text::SpecialNames names{.pad = "", .sos = "", .eos = "", .unk = "<unk>"};
  const text::Vocabulary vocabulary = text::Vocabulary::parse("\xEF\xBB\xBF<unk>\r\na\r\n\\x", names, "v.txt");
  EXPECT_EQ(vocabulary.size(), 3);
  EXPECT_EQ(vocabulary.word(0), "<unk>");
  EXPECT_EQ(vocabulary.word(2), "\\x");
  const text::Vocabulary by_id({"a", "END", "b"}, {.eos = 1});
  EXPECT_EQ(by_id.special().eos, 1);
  EXPECT_EQ(by_id.id("END"), -1);
}

TEST(Vocabulary, TheReaderTrustsNothing) {
  const text::SpecialNames none{.pad = "", .sos = "", .eos = "", .unk = ""};
  const auto parse = [&](std::string_view text, const text::SpecialNames& names) {
    return failure([&] { text::Vocabulary::parse(text, names, "v.txt"); });
  };
  EXPECT_EQ(parse("", none), "v.txt is empty; a vocabulary has one word per line");
  EXPECT_EQ(parse("a\n\nb\n", none), "v.txt:2: the line is empty; a vocabulary has one word per line");
  EXPECT_EQ(parse("a\nb\na\n", none), "v.txt:3: the word 'a' stands in line 1 already; remove one of the two");
  EXPECT_EQ(parse("a\n\xff\n", none), "v.txt:2: the line is not valid UTF-8; is this a vocabulary?");
  EXPECT_NE(parse("a\nb\n", {}).find("v.txt has no line '<pad>', its pad symbol"), std::string::npos);
  EXPECT_NE(failure([] { text::Vocabulary({"a"}, {.eos = 1}); }).find("id 1"), std::string::npos);
}

TEST(Vocabulary, CountsAreSharedWhereBothSidesAreAdded) {
  text::VocabularyBuilder builder;
  builder.add(Words{"a", "b"});
  builder.add(Words{"b"});
  builder.add("", 3);
  EXPECT_EQ(builder.total(), 6);
  EXPECT_EQ(builder.build({}).word(4), "b");
  EXPECT_EQ(builder.build({}).size(), 6);  // the empty word has no line
}

TEST(Vocabulary, AClosedSetKeepsItsOrder) {
  const text::Vocabulary vocabulary = text::closed_vocabulary(Words{"z", "<unk>", "a"}, {});
  EXPECT_EQ(vocabulary.serialize(), "<pad>\n<sos>\n<eos>\n<unk>\nz\na\n");
}

}  // namespace
}  // namespace heed
