#include "train/shortlist.h"

#include <algorithm>

#include "train/run_fixture.h"

namespace heed::testing {
namespace {

// Vocabularies of words: those of the source are s0, s1, …, those of the target t0, t1, …; both have x.
text::Vocabulary vocabulary(const char* side, int words) {
  std::vector<std::string> all = {"<sos>", "<eos>", "<unk>", "x"};
  for (int i = 0; i < words; ++i) all.push_back(fmt::format("{}{}", side, i));
  return {all, {.sos = 0, .eos = 1, .unk = 2}};
}
constexpr Id kFirst = 4;  // the id of s0 and t0

class ShortlistText {
 public:
  // The word s(i) is translated by t(i).
  void add(std::vector<Id> words) {
    for (Id& word : words) word += kFirst;
    words.push_back(1);
    writer_.add(words, words);
  }
  model::Shortlist learn(int words, const model::Shortlist* extended = nullptr) {
    return train::learn_shortlist(writer_.finish(), vocabulary("s", words), vocabulary("t", words), extended);
  }

 private:
  data::ExampleWriter writer_;
};

bool has(Ids words, Id word) {
  return std::ranges::binary_search(words, word);
}

TEST(LearnShortlist, FindsTranslationsFrequentWordsAndSymbols) {
  ShortlistText text;
  for (Id i = 0; i < 2000; ++i) text.add({i % 300, (7 * i + 3) % 300, 300 + i % 200});
  const model::Shortlist shortlist = text.learn(510);
  ASSERT_EQ(shortlist.source_words(), 514u);
  for (Id i = 0; i < 500; ++i) EXPECT_TRUE(has(shortlist.candidates(kFirst + i), kFirst + i)) << i;
  for (Id i = 500; i < 510; ++i) EXPECT_TRUE(shortlist.candidates(kFirst + i).empty()) << "never seen";
  EXPECT_TRUE(shortlist.candidates(3).empty()) << "x is in both vocabularies, but never seen";
  // The end symbol and the 99 first of the most frequent words, which are those below 300; and the other symbols.
  EXPECT_EQ(shortlist.always().size(), 102u);
  for (const Id word : {0, 1, 2, kFirst, kFirst + 98}) EXPECT_TRUE(has(shortlist.always(), word)) << word;
  EXPECT_FALSE(has(shortlist.always(), kFirst + 99));
}

TEST(LearnShortlist, AWordIsACandidateOfTheSameWord) {
  data::ExampleWriter writer;
  const std::vector<Id> source = {3, 4, 1}, target = {4, 5, 1};
  writer.add(source, target);
  const model::Shortlist shortlist = train::learn_shortlist(writer.finish(), vocabulary("s", 3), vocabulary("t", 3));
  EXPECT_TRUE(has(shortlist.candidates(3), 3));
  EXPECT_TRUE(has(shortlist.candidates(3), 4) && has(shortlist.candidates(3), 5));
  EXPECT_FALSE(has(shortlist.candidates(4), 3));
}

// A large text is not used whole, but what is new at its end is.
TEST(LearnShortlist, UsesRareWordsAtTheEndOfALargeText) {
  ShortlistText text;
  for (int i = 0; i < 200'000; ++i) text.add({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  text.add({16, 0});
  text.add({1, 17});
  text.add({18});
  const model::Shortlist shortlist = text.learn(20);
  for (const Id rare : {16, 17, 18}) EXPECT_TRUE(has(shortlist.candidates(kFirst + rare), kFirst + rare)) << rare;
}

TEST(LearnShortlist, ExtendsAnotherShortlist) {
  ShortlistText text;
  text.add({0, 1});
  std::vector<std::vector<Id>> candidates(8);
  candidates[kFirst] = {kFirst + 3};
  candidates[kFirst + 2] = {kFirst + 2};
  const model::Shortlist base(candidates, {kFirst + 3});
  const model::Shortlist shortlist = text.learn(5, &base);
  EXPECT_TRUE(has(shortlist.candidates(kFirst), kFirst) && has(shortlist.candidates(kFirst), kFirst + 3));
  EXPECT_TRUE(has(shortlist.candidates(kFirst + 1), kFirst + 1));
  EXPECT_TRUE(has(shortlist.candidates(kFirst + 2), kFirst + 2));
  EXPECT_TRUE(shortlist.candidates(kFirst + 4).empty());
  EXPECT_TRUE(has(shortlist.always(), kFirst + 3) && has(shortlist.always(), 1));
}

class ShortlistRuns : public Runs {
 protected:
  ShortlistRuns() { config_.text = {.tokenizer = "words"}; }

  // The shortlist of a new run: the names and bytes of its tensors; empty if there is none.
  std::vector<std::string> train(const std::string& out, int ranks = 1, int threads = 1) {
    Observer observer;
    EXPECT_EQ(run(out, ranks, threads, train::Start::fresh, observer).end, train::RunResult::End::done);
    std::vector<std::string> tensors;
    const Safetensors file(directory_.file(out) + "/model.safetensors");
    for (const char* name : model::kShortlistTensors)
      if (const StoredTensor* tensor = file.find(name))
        tensors.emplace_back(reinterpret_cast<const char*>(tensor->data.data()), tensor->data.size());
    return tensors;
  }
};

TEST_F(ShortlistRuns, EveryRunLearnsOneWhateverItsWorkersAre) {
  const std::vector<std::string> one = train("one");
  ASSERT_EQ(one.size(), 3u);
  EXPECT_EQ(train("threads", 1, 2), one);
  EXPECT_EQ(train("ranks", 2, 1), one);
  const model::ModelFile file = model::load_model(directory_.file("one"));
  const translate::TextPipeline pipeline = translate::read_pipeline(file, "one");
  EXPECT_TRUE(has(file.model->shortlist()->candidates(pipeline.source().id("house")), pipeline.target().id("haus")));
  config_.training.shortlist = false;
  EXPECT_TRUE(train("none").empty());
}

TEST_F(ShortlistRuns, FineTuningExtendsThatOfTheParentIfItHasOne) {
  train("parent");
  config_.training.shortlist = false;
  train("bare");
  config_.training.shortlist = true;
  write_file_atomically(files_.train_source[0], "the boat\n");
  write_file_atomically(files_.train_target[0], "das boot\n");
  config_.data.extend_vocabulary = 5;
  files_.from = directory_.file("bare");
  EXPECT_TRUE(train("tuned bare").empty());
  files_.from = directory_.file("parent");
  EXPECT_EQ(train("tuned").size(), 3u);
  const model::ModelFile file = model::load_model(directory_.file("tuned"));
  const translate::TextPipeline pipeline = translate::read_pipeline(file, "tuned");
  for (const auto& [source, target] : {std::pair("house", "haus"), std::pair("boat", "boot")})
    EXPECT_TRUE(has(file.model->shortlist()->candidates(pipeline.source().id(source)), pipeline.target().id(target)))
        << source;
}

}  // namespace
}  // namespace heed::testing
