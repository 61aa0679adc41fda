#include "inspect/model_summary.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed::testing {
namespace {

inspect::ModelSummary summary_of(const Metadata& metadata, const std::string& path = "m.safetensors") {
  model::ModelConfig config;
  config.encoder = {.embedding = 2, .hidden = 2};
  config.decoder = {.embedding = 2, .hidden = 2};
  config.vocabulary = {.source = 3, .target = 3};
  return inspect::summarize(
      {.model = std::make_unique<model::Model>(config), .metadata = metadata, .file = nullptr, .names = {}}, path);
}

std::string line(const inspect::ModelSummary& summary, const std::string& heading) {
  const auto found = std::ranges::find(summary.lines, heading, &std::pair<std::string, std::string>::first);
  return found == summary.lines.end() ? "" : found->second;
}

Metadata with_text(const std::string& toml) {
  return {{"heed.text", toml}, {"heed.vocabulary.source", "a\nb\nc\n"}, {"heed.vocabulary.target", "a\nb\nc\n"}};
}

TEST(ModelSummary, SaysWhatTheTextSettingsMean) {
  const auto words =
      summary_of(with_text("data.tokenizer = \"words\"\ndata.normalize = [\"lowercase\"]\n"
                           "data.source_language = \"de\"\n"));
  EXPECT_EQ(line(words, "translates"), "from de (target language not recorded)");
  EXPECT_TRUE(line(words, "expects").starts_with("raw text"));
  EXPECT_EQ(line(words, "produces"), "lower-case text");
  EXPECT_EQ(words.facts["case"], "lower");
  EXPECT_EQ(words.facts["languages"]["target"], nullptr);
  const auto spaces = summary_of(with_text("data.tokenizer = \"whitespace\"\n"));
  EXPECT_EQ(line(spaces, "translates"), "languages not recorded");
  EXPECT_TRUE(line(spaces, "expects").starts_with("tokenized text"));
  EXPECT_EQ(spaces.facts["input"], "tokenized");
  EXPECT_EQ(spaces.facts["case"], "kept");
}

TEST(ModelSummary, NamesTheLanguagesOfTheTrainingFiles) {
  Metadata metadata = with_text("data.source_language = \"de\"\n");
  metadata.emplace_back("heed.languages", R"({"source":"fr","target":"en"})");
  const auto named = summary_of(metadata);
  EXPECT_EQ(line(named, "translates"), "de to en") << "settings come first";
  EXPECT_EQ(named.facts["languages"]["target"], "en");
  for (const char* damaged : {"", "{", "7", "[]", R"({"target":3})", "null"}) {
    metadata.back().second = damaged;
    EXPECT_EQ(line(summary_of(metadata), "translates"), "from de (target language not recorded)") << damaged;
  }
}

TEST(ModelSummary, AFileWithoutWordsOrWithDamagedSettingsReadsIds) {
  EXPECT_TRUE(line(summary_of({}), "expects").starts_with("token ids"));
  EXPECT_EQ(line(summary_of({}), "use"), "");
  EXPECT_TRUE(line(summary_of(with_text("data.tokenizer = 7\n")), "expects").starts_with("token ids"));
  EXPECT_TRUE(line(summary_of(with_text("[[[")), "expects").starts_with("token ids"));
}

TEST(ModelSummary, ShowsTheTrainingHistoryUnlessItIsDamaged) {
  const auto trained = [](const std::string& json) {
    return line(summary_of({{"heed.provenance", json}}), "trained on");
  };
  EXPECT_EQ(trained(R"({"update":1200,"train_pairs":29000})"), "29,000 sentence pairs, 1,200 updates");
  EXPECT_EQ(trained(R"({"update":5,"epochs":2.5,"train_pairs":9,"validation":{"pairs":3,"metric":"bleu","value":7}})"),
            "9 sentence pairs, 5 updates (2.5 epochs); validation bleu 7.00 on 3 pairs");
  for (const char* damaged : {"", "{", "[]", "7", "{}", R"({"update":"x","train_pairs":1})", R"({"update":1})",
                              R"({"update":1,"train_pairs":1,"validation":3})"})
    EXPECT_EQ(trained(damaged), "not recorded") << damaged;
  const auto tuned = summary_of({{"heed.provenance", R"({"update":1,"train_pairs":1,"from":"0123"})"}});
  EXPECT_EQ(line(tuned, "fine-tuned"), "from the model with checksum 0123");
  EXPECT_EQ(tuned.facts["from"], "0123");
}

TEST(ModelSummary, TheExampleQuotesThePath) {
  EXPECT_EQ(line(summary_of(with_text(""), "a b's/m"), "use"), "echo 'your text' | heed translate 'a b'\\''s/m'");
  EXPECT_EQ(line(summary_of(with_text(""), "run/m.safetensors"), "use"),
            "echo 'your text' | heed translate run/m.safetensors");
}

}  // namespace
}  // namespace heed::testing
