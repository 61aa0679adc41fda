#include "model/shortlist.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "model/model_file.h"
#include "support/files.h"
#include "support/small_models.h"

namespace heed::testing {
namespace {

std::vector<Id> list(Ids words) {
  return {words.begin(), words.end()};
}

TEST(Shortlist, SortsCandidatesAndDropsDuplicates) {
  const model::Shortlist shortlist({{7, 3, 7}, {}, {1}}, {9, 2, 9});
  EXPECT_EQ(shortlist.source_words(), 3u);
  EXPECT_EQ(list(shortlist.candidates(0)), (std::vector<Id>{3, 7}));
  EXPECT_TRUE(shortlist.candidates(1).empty());
  EXPECT_EQ(list(shortlist.candidates(2)), (std::vector<Id>{1}));
  EXPECT_EQ(list(shortlist.always()), (std::vector<Id>{2, 9}));
  EXPECT_EQ(shortlist.mean_candidates(), 1);
  EXPECT_EQ(shortlist.bytes(), (4 + 3 + 2) * sizeof(Id));
}

TEST(WordSet, CollectsTheCandidatesOfASentence) {
  const model::Shortlist shortlist({{}, {}, {64, 3}, {127, 3, 0}}, {5, 63});
  model::WordSet set(128);
  std::vector<Id> words;
  const std::vector<Id> source = {3, 2, 1}, unknown = {3, 0, 1};
  EXPECT_TRUE(set.add(shortlist, source)) << "the end symbol needs no candidates";
  set.take(words);
  EXPECT_EQ(words, (std::vector<Id>{0, 3, 5, 63, 64, 127}));
  set.take(words);
  EXPECT_TRUE(words.empty());
  EXPECT_FALSE(set.add(shortlist, unknown));
  set.clear();
  set.add(7);
  set.take(words);
  EXPECT_EQ(words, std::vector<Id>{7});
  EXPECT_THROW(set.add(128), InternalError);
  EXPECT_THROW(set.add(-1), InternalError);
}

TEST(ShortlistCoverage, CountsReferenceTokensThatAreCandidates) {
  const model::Shortlist shortlist({{}, {}, {4, 5}, {6}}, {1});
  model::ShortlistCoverage coverage(shortlist, 20);
  const std::vector<Id> source = {2, 3, 1}, target = {4, 7, 6, 1}, unknown = {0, 1}, other = {9, 1};
  coverage.add(source, target);
  EXPECT_EQ(coverage.covered(), 0.75);
  EXPECT_EQ(coverage.mean_candidates(), 4);
  coverage.add(unknown, other);  // the whole vocabulary
  EXPECT_EQ(coverage.tokens(), 6);
  EXPECT_EQ(coverage.covered(), 5.0 / 6);
  EXPECT_EQ(coverage.mean_candidates(), 12);
}

class ShortlistFile : public ::testing::Test {
 protected:
  ShortlistFile() : model_(small_config("bigru-deep-output")) {
    model_.initialize(3);
    model_.set_shortlist(small_shortlist(model_.config()));
  }

  // What loading a file says, whose shortlist has these tensors instead.
  std::string error(std::vector<StoredTensor> shortlist) {
    const std::string good = directory_.file("good"), bad = directory_.file("bad");
    save_model(good, model_, {});
    const Safetensors file(good);
    std::vector<StoredTensor> tensors;
    for (const StoredTensor& tensor : file.tensors())
      if (!tensor.name.starts_with("shortlist.")) tensors.push_back(tensor);
    tensors.insert(tensors.end(), shortlist.begin(), shortlist.end());
    write_safetensors(bad, file.metadata(), tensors);
    try {
      const model::ModelFile loaded = model::load_model(bad);
      return loaded.model->shortlist() == nullptr ? "no shortlist" : "fine";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  std::string error(const std::vector<Id>& begin, const std::vector<Id>& words, const std::vector<Id>& always) {
    return error({row("shortlist.begin", begin), row("shortlist.words", words), row("shortlist.always", always)});
  }
  static StoredTensor row(const char* name, const std::vector<Id>& numbers) {
    return {name, StoredType::i32, {std::ssize(numbers)}, std::as_bytes(std::span(numbers))};
  }

  TemporaryDirectory directory_;
  model::Model model_;
};

TEST_F(ShortlistFile, KeepsTheShortlistAndTheParameters) {
  const std::string path = directory_.file("model"), again = directory_.file("again"),
                    without = directory_.file("none");
  save_model(path, model_, {});
  const std::string bytes = read_file(path);
  const model::ModelFile mapped = model::load_model(path), copied = model::load_model(path, model::ModelMemory::copied),
                         read = model::load_model(std::as_bytes(std::span(bytes)), path);
  for (const model::ModelFile* file : {&mapped, &copied, &read}) {
    const model::Shortlist* shortlist = file->model->shortlist();
    ASSERT_NE(shortlist, nullptr);
    for (Id s = 0; s < 12; ++s) EXPECT_EQ(list(shortlist->candidates(s)), list(model_.shortlist()->candidates(s)));
    EXPECT_EQ(list(shortlist->always()), std::vector<Id>{5});
    save_model(again, *file->model, file->metadata);
    EXPECT_EQ(read_file(again), bytes);
  }
  model_.set_shortlist({});
  save_model(without, model_, {});
  EXPECT_EQ(model::load_model(without).model->shortlist(), nullptr);
  EXPECT_LT(read_file(without).size(), bytes.size());
  const model::Shortlist other({{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {13}}, {});
  save_model(again, *mapped.model, {}, &other);
  EXPECT_EQ(list(model::load_model(again).model->shortlist()->candidates(11)), std::vector<Id>{13});
  EXPECT_THROW(model_.set_shortlist(model::Shortlist({{1}}, {})), UsageError);
}

TEST_F(ShortlistFile, ABadShortlistIsAnErrorThatNamesTheTensor) {
  const std::vector<Id> begin = {0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3};  // of 12 source words; 14 target words
  EXPECT_EQ(error(begin, {3, 13, 0}, {1}), "fine");
  EXPECT_EQ(error(std::vector<StoredTensor>{}), "no shortlist");
  const auto changed = [&](std::size_t i, Id value) {
    std::vector<Id> copy = begin;
    copy[i] = value;
    return copy;
  };
  const auto names = [](const std::string& sentence, const char* tensor) {
    return sentence.find(tensor) != std::string::npos && sentence.find("heed shortlist") != std::string::npos;
  };
  for (const std::vector<Id>& bad :
       {changed(0, 1), changed(0, -1), changed(12, 4), changed(12, 2), changed(5, 1), changed(5, 1'000'000),
        std::vector<Id>(begin.begin(), begin.end() - 1), std::vector<Id>{}})
    EXPECT_TRUE(names(error(bad, {3, 13, 0}, {1}), "shortlist.begin")) << error(bad, {3, 13, 0}, {1});
  for (const std::vector<Id>& bad :
       std::vector<std::vector<Id>>{{13, 3, 0}, {3, 3, 0}, {3, 14, 0}, {-1, 3, 0}, {3, 13, -7}})
    EXPECT_TRUE(names(error(begin, bad, {1}), "shortlist.words")) << error(begin, bad, {1});
  for (const std::vector<Id>& bad : std::vector<std::vector<Id>>{{14}, {-1}, {2, 1}})
    EXPECT_TRUE(names(error(begin, {3, 13, 0}, bad), "shortlist.always")) << error(begin, {3, 13, 0}, bad);
  const std::vector<Id> words = {3, 13, 0}, always = {1};
  EXPECT_NE(error({row("shortlist.begin", begin), row("shortlist.words", words)}).find("shortlist.always"),
            std::string::npos);
  StoredTensor floats = row("shortlist.words", words), matrix = floats;
  floats.type = StoredType::f32;
  matrix.shape = {1, 3};
  for (const StoredTensor& bad : {floats, matrix})
    EXPECT_NE(error({row("shortlist.begin", begin), bad, row("shortlist.always", always)}).find("I32"),
              std::string::npos);
  EXPECT_NE(error({row("shortlist.word", words)}).find("shortlist.word"), std::string::npos) << "an unknown tensor";
}

}  // namespace
}  // namespace heed::testing
