#include "data/guides.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "data/prepare.h"
#include "support/files.h"

namespace heed {
namespace {

class GuidesTest : public ::testing::Test {
 protected:
  std::string write(const char* name, const char* text) const {
    std::ofstream(directory_.file(name)) << text;
    return directory_.file(name);
  }
  static std::vector<Guide> guides(const data::GuideReader& reader, std::int64_t line, std::string_view source,
                                   std::string_view target, const char* kind) {
    const auto tokenizer = text::make_tokenizer({.kind = kind});
    return reader.guides(line, source, target, tokenizer->tokenize(source), tokenizer->tokenize(target));
  }
  template <class Call>
  static std::string error_of(Call call) {
    try {
      call();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  data::GuideReader reader(const std::string& path) const {
    return data::GuideReader({path, words_.get(), words_.get()});
  }

  const testing::TemporaryDirectory directory_;
  const std::unique_ptr<text::Tokenizer> words_ = text::make_tokenizer({.kind = "whitespace"});
};

TEST_F(GuidesTest, WeightIsEqualOverLinkedWords) {
  const data::GuideReader links = reader(write("links", "0-1 1p0 2-0\n\n"));
  EXPECT_EQ(guides(links, 1, "a b c", "x y z", "whitespace"),
            (std::vector<Guide>{{0, 1, 0.5f}, {0, 2, 0.5f}, {1, 0, 1}}));
  EXPECT_EQ(guides(links, 2, "a b c", "x y z", "whitespace"), std::vector<Guide>{});
}

// The `words` tokenizer splits words at more than white space: links are spread over the parts.
TEST_F(GuidesTest, LinksAreSpreadOverTokens) {
  const data::GuideReader links = reader(write("links", "1-0\n"));
  EXPECT_EQ(guides(links, 1, "oh no, no", "nein!", "words"),
            (std::vector<Guide>{{0, 1, 0.5f}, {0, 2, 0.5f}, {1, 1, 0.5f}, {1, 2, 0.5f}}));
}

// The guides of the last word are in the row of the end symbol.
TEST_F(GuidesTest, ShiftMovesGuidesToTheFollowingStep) {
  const data::GuideReader links({write("links", "0-1 1-0\n"), words_.get(), words_.get(), true});
  EXPECT_EQ(guides(links, 1, "a b", "x y", "whitespace"), (std::vector<Guide>{{1, 1, 1}, {2, 0, 1}}));
}

TEST_F(GuidesTest, ReportsLinksAndLinesThatDoNotFit) {
  const std::string path = write("links", "0-0\n0-2\n");
  const data::GuideReader links = reader(path);
  const std::string outside = error_of([&] { guides(links, 2, "a", "x y", "whitespace"); });
  EXPECT_TRUE(outside.starts_with(path + ":2: the link 0-2 ")) << outside;
  EXPECT_NE(outside.find("1 word and the target has 2"), outside.npos) << outside;
  const std::string few = error_of([&] { guides(links, 3, "a", "x", "whitespace"); });
  EXPECT_NE(few.find("ends after line 2"), few.npos) << few;
  EXPECT_NE(few.find("`heed align --pairs"), few.npos) << few;
  EXPECT_NE(error_of([&] { links.check_lines(1); }).find("2 lines, but the training text has 1 pairs"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { links.check_lines(2); }), "");
  EXPECT_TRUE(error_of([&] { reader(write("bad", "0-0\nx\n")); }).find(":2: ") != std::string::npos);
}

// The links of skipped pairs are skipped, too.
TEST_F(GuidesTest, BelongToTheirExamples) {
  const text::VocabularyOptions words{.special = {.pad = "", .sos = "<sos>", .eos = "<eos>", .unk = "<unk>"}};
  const data::CorpusFiles files{
      .parts = {{.source = write("s", "a\nb c d\nb a\n"), .target = write("t", "x\ny z z\nz x\n")}}};
  data::PrepareOptions options;
  options.selection.max_words = 2;
  options.guides = {write("links", "0-0\n0-0 1-1 2-2\n1-0\n"), words_.get(), words_.get()};
  const data::Prepared prepared = prepare_corpus(files, *words_, *words_, words, words, false, options);
  ASSERT_EQ(prepared.guides.size(), 2u);
  EXPECT_EQ(std::vector(prepared.guides[0].begin(), prepared.guides[0].end()), (std::vector<Guide>{{0, 0, 1}}));
  EXPECT_EQ(std::vector(prepared.guides[1].begin(), prepared.guides[1].end()), (std::vector<Guide>{{0, 1, 1}}));
  const data::PairParts parts = {data::kNoPart, 0, 0};
  options.selection.parts = &parts;
  const data::Prepared part = prepare_corpus(files, *words_, *words_, words, words, false, options);
  ASSERT_EQ(part.guides.size(), 1u);
  EXPECT_EQ(std::vector(part.guides[0].begin(), part.guides[0].end()), (std::vector<Guide>{{0, 1, 1}}));
  options.guides.path = write("more", "0-0\n0-0\n0-0\n0-0\n");
  EXPECT_NE(error_of([&] { prepare_corpus(files, *words_, *words_, words, words, false, options); }), "");
  options.guides.path = "";
  EXPECT_TRUE(prepare_corpus(files, *words_, *words_, words, words, false, options).guides.empty());
}

}  // namespace
}  // namespace heed
