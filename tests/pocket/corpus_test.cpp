#include "pocket/corpus.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/error.h"
#include "base/files.h"

namespace heed {
namespace {

constexpr pocket::Split kSplits[] = {pocket::Split::train, pocket::Split::valid, pocket::Split::test};

std::string fold(std::string_view word) {
  std::string folded(word);
  for (char& c : folded)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return folded;
}

const std::vector<pocket::PocketPair>& sample() {
  static const std::vector<pocket::PocketPair> pairs = pocket::PocketCorpus(1).pairs(pocket::Split::train, 20000);
  return pairs;
}

std::size_t words_in(const std::string& text) {
  return pocket::pocket_tokens(text).size();
}

TEST(Pocket, tokens_split_off_marks_only) {
  const std::vector<std::string_view> expected = {"When", "it", "rains", ",",       "I", "get",
                                                  "up",   "at", "six",   "o'clock", "."};
  EXPECT_EQ(pocket::pocket_tokens("When it rains, I get up at six o'clock."), expected);
  EXPECT_TRUE(pocket::pocket_tokens("").empty());
  EXPECT_EQ(pocket::pocket_tokens("?").size(), 1u);
}

TEST(Pocket, the_seed_determines_the_corpus) {
  const auto first = pocket::PocketCorpus(7).pairs(pocket::Split::train, 500);
  EXPECT_EQ(first, pocket::PocketCorpus(7).pairs(pocket::Split::train, 500));
  EXPECT_NE(first, pocket::PocketCorpus(8).pairs(pocket::Split::train, 500));
  const std::uint64_t large = 0x1234567800000007u;  // the high half of the seed counts
  EXPECT_NE(first, pocket::PocketCorpus(large).pairs(pocket::Split::train, 500));
}

TEST(Pocket, a_draw_depends_on_its_index_alone) {
  const pocket::PocketCorpus corpus(3);
  const pocket::PocketPair far = corpus.draw(1u << 20);
  for (std::uint64_t i = 0; i < 50; ++i) corpus.draw(i);
  EXPECT_EQ(far, corpus.draw(1u << 20));
  EXPECT_NO_THROW(corpus.draw(~std::uint64_t{0}));
}

TEST(Pocket, a_shorter_corpus_is_a_prefix_of_a_longer_one) {
  const pocket::PocketCorpus corpus(5);
  for (const pocket::Split split : kSplits) {
    const auto small = corpus.pairs(split, 300), large = corpus.pairs(split, 600);
    ASSERT_EQ(small.size(), 300u);
    EXPECT_TRUE(std::equal(small.begin(), small.end(), large.begin()));
  }
}

TEST(Pocket, splits_share_no_sentence_and_no_source_has_two_targets) {
  std::map<std::string, pocket::Split> sources, targets;
  std::map<std::string, std::string> translations;
  const auto look = [&](const pocket::PocketPair& pair, pocket::Split split) {
    EXPECT_EQ(sources.emplace(pair.source, split).first->second, split) << pair.source;
    EXPECT_EQ(targets.emplace(pair.target, split).first->second, split) << pair.target;
    EXPECT_EQ(translations.emplace(pair.source, pair.target).first->second, pair.target) << pair.source;
  };
  for (const pocket::Split split : kSplits)
    for (const pocket::PocketPair& pair :
         pocket::PocketCorpus(1).pairs(split, split == pocket::Split::train ? 46000 : 2000))
      look(pair, split);
  EXPECT_EQ(sources.size(), 50000u);
  // The same holds across seeds: a model trained on one may be tested on another.
  for (std::uint64_t i = 0; i < 50000; ++i) {
    const pocket::PocketPair pair = pocket::PocketCorpus(2).draw(i);
    look(pair, pocket::PocketCorpus::split_of(pair));
  }
}

TEST(Pocket, no_source_is_repeated_in_a_split) {
  std::set<std::string> sources;
  for (const pocket::PocketPair& pair : sample()) EXPECT_TRUE(sources.insert(pair.source).second) << pair.source;
  EXPECT_EQ(sources.size(), 20000u);
}

TEST(Pocket, lengths_and_marks) {
  std::size_t longest = 0, shortest = 100;
  for (const pocket::PocketPair& pair : sample())
    for (const std::string& text : {pair.source, pair.target}) {
      const std::size_t words = words_in(text);
      longest = std::max(longest, words);
      shortest = std::min(shortest, words);
      EXPECT_TRUE(text.back() == '.' || text.back() == '?') << text;
      EXPECT_EQ(pair.source.back(), pair.target.back());
      EXPECT_FALSE(text.front() >= 'a' && text.front() <= 'z') << text;
      for (const char* bad : {"  ", " .", " ,", " ?", ",,", ",.", ",?"})
        EXPECT_EQ(text.find(bad), std::string::npos) << text;
    }
  EXPECT_GE(shortest, pocket::PocketCorpus::kMinWords);
  EXPECT_LE(longest, pocket::PocketCorpus::kMaxWords);
  EXPECT_GE(longest, 18u);  // the bound is used
}

TEST(Pocket, alignments_cover_the_words_and_cross) {
  std::size_t crossing = 0;
  for (const pocket::PocketPair& pair : sample()) {
    const auto source = pocket::pocket_tokens(pair.source), target = pocket::pocket_tokens(pair.target);
    std::set<std::size_t> left, right;
    bool crosses = false;
    for (const auto& [s, t, sure] : pair.alignment) {
      ASSERT_TRUE(sure && s < source.size() && t < target.size());
      left.insert(s);
      right.insert(t);
      for (const alignment::Link& other : pair.alignment) crosses |= s < other.source && t > other.target;
    }
    crossing += crosses;
    EXPECT_EQ(pair.alignment, tidy(pair.alignment));  // sorted, each once
    for (std::size_t s = 0; s < source.size(); ++s) EXPECT_TRUE(left.contains(s)) << source[s] << " in " << pair.source;
    for (std::size_t t = 0; t < target.size(); ++t)
      EXPECT_TRUE(target[t] == "," || right.contains(t)) << target[t] << " in " << pair.target;
    EXPECT_EQ(pair.alignment.back().source, source.size() - 1) << pair.source;
    EXPECT_EQ(pair.alignment.back().target, target.size() - 1) << pair.source;
  }
  EXPECT_GT(crossing, sample().size() / 2);
}

// The number of distinct words of each side, ignoring case, and the frequency of the rarest.
TEST(Pocket, four_to_six_hundred_words_per_side_and_none_rare) {
  for (const bool german : {false, true}) {
    std::map<std::string, int> counts;
    for (const pocket::PocketPair& pair : sample())
      for (const std::string_view word : pocket::pocket_tokens(german ? pair.target : pair.source))
        ++counts[fold(word)];
    EXPECT_GE(counts.size(), 400u) << german;
    EXPECT_LE(counts.size(), 600u) << german;
    for (const auto& [word, count] : counts) EXPECT_GE(count, 3) << word;
    EXPECT_FALSE(counts.count(german ? "du" : "you"));
  }
}

TEST(Pocket, every_construction_occurs) {
  std::string english, german;
  for (const pocket::PocketPair& pair : sample()) {
    english += " " + pair.source + "\n";
    german += " " + pair.target + "\n";
  }
  for (const char* part :
       {" There are ", " likes to ",  " cannot ",   " must not ", " never ",       " yet.",     " already ",
        " How many ",  " Which ",     " Who ",      " although ", " while ",       " before ",  " Because ",
        " Sometimes ", " Nobody ",    " by train ", " next to ",  " in front of ", " at home ", " picks up ",
        " him up",     " wanted to ", " that she ", " o'clock ",  " those "})
    EXPECT_NE(english.find(part), std::string::npos) << part;
  for (const char* part : {" gibt es ",   " gern ",    " darf ",     " noch nie ",   " noch nicht ",  " noch kein",
                           " Wie viele ", " Welchen ", " Wem ",      " Wen ",        ", obwohl ",     ", während ",
                           ", bevor ",    ", dass ",   ", ob ",      " Als ",        " Weil ",        " zur ",
                           " ins ",       " im ",      " frischem ", " den Männern", " einen Jungen", " Wohin ",
                           ", wo ",       " aufsteht", " steht ",    " frisst ",     " isst ",        ", die "})
    EXPECT_NE(german.find(part), std::string::npos) << part;
}

TEST(Pocket, writes_files_and_tsv) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("heed_pocket_test_" + std::to_string(::getpid()));
  const pocket::PocketCorpus corpus(2);
  EXPECT_THROW(write_pocket(folder / "pocket", corpus, {.train = 2, .valid = 1, .test = 1}), InputError);
  std::filesystem::create_directories(folder);
  write_pocket(folder / "pocket", corpus, {.train = 20, .valid = 5, .test = 4});
  const auto paths = pocket::pocket_files(folder / "pocket");
  ASSERT_EQ(paths.size(), 9u);
  for (const auto& path : paths) EXPECT_TRUE(std::filesystem::exists(path)) << path;
  const auto valid = corpus.pairs(pocket::Split::valid, 5);
  std::string english, german, alignment;
  for (const pocket::PocketPair& pair : valid) {
    english += pair.source + "\n";
    german += pair.target + "\n";
    alignment += format_alignment(pair.alignment) + "\n";
  }
  EXPECT_EQ(read_file((folder / "pocket.valid.en").string()), english);
  EXPECT_EQ(read_file((folder / "pocket.valid.de").string()), german);
  EXPECT_EQ(read_file((folder / "pocket.valid.align").string()), alignment);
  // One of the names is taken by a folder.
  std::filesystem::create_directories(folder / "taken.train.en");
  EXPECT_THROW(write_pocket(folder / "taken", corpus, {.train = 2, .valid = 1, .test = 1}), InputError);
  std::filesystem::remove_all(folder);

  EXPECT_EQ(pocket::to_tsv({"I slept.", "Ich habe geschlafen.", {{0, 0}, {1, 1}}}),
            "I slept.\tIch habe geschlafen.\t0-0 1-1");
}

}  // namespace
}  // namespace heed
