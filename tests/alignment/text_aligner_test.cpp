#include "alignment/text_aligner.h"

#include <gtest/gtest.h>

#include "alignment/error_rate.h"
#include "alignment/lexicon.h"
#include "pocket/corpus.h"

namespace heed {
namespace {

alignment::EncodedText encoded(std::initializer_list<std::vector<alignment::WordId>> sentences) {
  alignment::EncodedText text;
  for (const auto& sentence : sentences) text.add(sentence);
  return text;
}

TEST(Lexicon, HasACellForEveryPairOfCooccurringWords) {
  const alignment::Lexicon lexicon(encoded({{0, 1}, {1, 1}, {}, {2}}), encoded({{0}, {1, 2, 1}, {3}, {0, 2}}));
  const std::pair<alignment::WordId, alignment::WordId> met[] = {{0, 0}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 2}};
  ASSERT_EQ(lexicon.cells(), std::size(met));
  for (alignment::Lexicon::Cell i = 0; i < std::size(met); ++i) EXPECT_EQ(lexicon.cell(met[i].first, met[i].second), i);
}

TEST(Lexicon, UpdateSetsRelativeFrequencies) {
  alignment::Lexicon lexicon(encoded({{0, 1}}), encoded({{0, 1}}));
  for (alignment::Lexicon::Cell i = 0; i < 4; ++i) {
    EXPECT_FLOAT_EQ(lexicon.translation(i)[alignment::kForward], 0.5F);
    EXPECT_FLOAT_EQ(lexicon.translation(i)[alignment::kBackward], 0.5F);
  }
  alignment::Lexicon::Counts counts = lexicon.zero_counts();
  counts.translation = {{3, 1}, {1, 0}, {0, 3}, {2, 2}};  // cells 0-0, 0-1, 1-0, 1-1
  counts.null_translation = {{{0, 2}, {1, 1}}};
  lexicon.update(counts);
  const auto& first = lexicon.translation(lexicon.cell(0, 0));
  EXPECT_FLOAT_EQ(first[alignment::kForward], 0.75F);   // of source word 0: 3 and 1
  EXPECT_FLOAT_EQ(first[alignment::kBackward], 0.25F);  // of target word 0: 1 and 3
  const auto& last = lexicon.translation(lexicon.cell(1, 1));
  EXPECT_FLOAT_EQ(last[alignment::kForward], 1);
  EXPECT_FLOAT_EQ(last[alignment::kBackward], 1);
  EXPECT_GT(lexicon.translation(lexicon.cell(0, 1))[alignment::kBackward], 0) << "never ruled out";
  EXPECT_LT(lexicon.null_translation()[alignment::kForward][0], 0.001F);
  EXPECT_NEAR(lexicon.null_translation()[alignment::kForward][1], 1, 0.001);
  EXPECT_FLOAT_EQ(lexicon.null_translation()[alignment::kBackward][0], 0.5F);
}

struct Texts {
  std::vector<std::string> sources, targets;
  std::vector<alignment::Alignment> gold;
};

const Texts& pocket() {
  static const Texts texts = [] {
    Texts made;
    pocket::PocketCorpus().visit(pocket::Split::train, 2000, [&](const pocket::PocketPair& pair) {
      made.sources.push_back(pair.source);
      made.targets.push_back(pair.target);
      made.gold.push_back(pair.alignment);
    });
    return made;
  }();
  return texts;
}

alignment::AlignedTexts aligned(const Texts& texts, const alignment::TextAlignerOptions& options = {}) {
  const auto words = text::make_tokenizer({.kind = "words"});
  return align_texts(texts.sources, texts.targets, *words, *words, options);
}

TEST(TextAligner, FindsTheLinksOfThePocketCorpus) {
  const alignment::AlignmentScore score = score_alignments(aligned(pocket()).links, pocket().gold);
  EXPECT_GT(score.recall(), 86);
  EXPECT_GT(score.precision(), 95);
}

TEST(TextAligner, SameLinksForAnyNumberOfThreads) {
  const auto one = aligned(pocket()).links;
  for (const int threads : {2, 3}) EXPECT_EQ(aligned(pocket(), {.threads = threads}).links, one) << threads;
}

TEST(TextAligner, ExchangingTheTextsFlipsTheLinks) {
  const auto one = aligned(pocket()).links;
  auto other = aligned({pocket().targets, pocket().sources, {}}).links;
  std::size_t same = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    for (alignment::Link& link : other[i]) std::swap(link.source, link.target);
    same += tidy(other[i]) == one[i] ? 1 : 0;
  }
  EXPECT_GT(same, one.size() * 99 / 100) << "only the rounding of sums differs";
}

// Every form occurs once, and the translations are in the opposite order: only shared statistics give the links.
TEST(TextAligner, CaseAndEndingsDoNotSplitAWord) {
  const std::vector<std::string> swapped[] = {
      {"Haushalte Kommission", "Haushalten Kommissionen", "Haushalts Kommissar"},  // endings
      {"HAUSHALT KOMMISSION", "haushalt kommission", "HaushaLT KoMMission"}};      // case
  for (const auto& sources : swapped) {
    Texts texts{{"Haushalt"}, {"budget"}, {}};
    for (const std::string& source : sources) {
      texts.sources.push_back(source);
      texts.targets.push_back("commission budget");
    }
    const auto links = aligned(texts).links;
    for (std::size_t i = 1; i < links.size(); ++i) EXPECT_EQ(format_alignment(links[i]), "0-1 1-0") << texts.sources[i];
  }
}

std::string words(const std::string& kind, std::size_t count) {
  std::string line;
  for (std::size_t i = 0; i < count; ++i) line += kind + std::to_string(i) + " ";
  return line;
}

// Such lines do not change the links of the others.
TEST(TextAligner, EmptyAndOverlongLinesHaveNoLinks) {
  constexpr std::size_t kMost = alignment::AlignedTexts::kMaxWords;
  const std::pair<std::string, std::string> left_out[] = {
      {"", "ein Hund"}, {"a dog", ""}, {"  ", " "}, {"a dog", words("y", kMost + 1)}, {words("x", 200000), "y"}};
  Texts texts = pocket();
  for (const auto& [source, target] : left_out) {
    texts.sources.insert(texts.sources.begin(), source);
    texts.targets.insert(texts.targets.begin(), target);
  }
  alignment::AlignedTexts found = aligned(texts);
  EXPECT_EQ(found.too_long, 2);
  ASSERT_EQ(found.links.size(), texts.sources.size());
  for (std::size_t i = 0; i < std::size(left_out); ++i) EXPECT_TRUE(found.links[i].empty()) << texts.sources[i];
  found.links.erase(found.links.begin(), found.links.begin() + std::ssize(left_out));
  EXPECT_EQ(found.links, aligned(pocket()).links);
}

TEST(TextAligner, AcceptsLongAndInvalidLines) {
  Texts texts = pocket();
  texts.sources.insert(texts.sources.end(),
                       {words("x", alignment::AlignedTexts::kMaxWords), "a \xff\xfe dog", std::string(600, 'x')});
  texts.targets.insert(texts.targets.end(), {words("y", alignment::AlignedTexts::kMaxWords), "ein \xc3 Hund", "y"});
  const alignment::AlignedTexts found = aligned(texts);
  EXPECT_EQ(found.too_long, 0);
  for (std::size_t i = found.links.size() - 3; i < found.links.size(); ++i) EXPECT_FALSE(found.links[i].empty()) << i;
}

TEST(TextAligner, AcceptsEmptyTexts) {
  EXPECT_TRUE(aligned({}).links.empty());
  EXPECT_EQ(aligned({{""}, {""}, {}}).links, std::vector<alignment::Alignment>(1));
}

TEST(TextAligner, ProgressRisesToTheEnd) {
  std::size_t last = 0, whole = 0;
  aligned(pocket(), {.threads = 2, .on_progress = [&](std::size_t done, std::size_t all) {
                       EXPECT_GE(done, last);
                       last = done;
                       whole = all;
                     }});
  EXPECT_EQ(last, whole);
  EXPECT_EQ(whole, pocket().sources.size());
}

}  // namespace
}  // namespace heed
