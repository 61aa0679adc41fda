#include "translate/training_lines.h"

#include <gtest/gtest.h>

#include "support/files.h"
#include "translate/random_model.h"
#include "translate/text_layer.h"

namespace heed::translate {
namespace {

TEST(TrainingLines, CountLinesOfSeveralSentencesAndTheirLength) {
  LineCounter counter("en");
  for (int i = 0; i < 90; ++i) counter.add("One sentence.");
  for (int i = 0; i < 10; ++i) counter.add("Zwei Sätze. They follow each other.");
  const TrainingLines lines = counter.result();
  EXPECT_EQ(lines.several, 0.1);
  EXPECT_EQ(lines.characters, 35);
  EXPECT_TRUE(lines.includes("A dog. A cat."));
  EXPECT_FALSE(lines.includes("A dog runs over the grass. A cat sees it."));
  EXPECT_EQ(LineCounter("en").result().characters, 0);
}

TEST(TrainingLines, IncludeNoLineIfFewHadSeveralSentences) {
  LineCounter counter("en");
  for (int i = 0; i < 99; ++i) counter.add("One sentence that is rather long.");
  counter.add("Two. Sentences.");
  EXPECT_FALSE(counter.result().includes("A dog. A cat."));
}

TEST(TrainingLines, AreReadFromAModelFileAndKeepSuchLinesWhole) {
  const testing::RandomModel nonsense;
  const testing::TemporaryDirectory folder;
  const auto translate = [&](const std::optional<TrainingLines>& lines) {
    const std::string path = folder.file("model.safetensors");
    Metadata metadata = nonsense.pipeline.metadata();
    if (lines)
      for (const auto& entry : lines->metadata()) metadata.push_back(entry);
    save_model(path, *nonsense.model, metadata);
    Translator translator(path);
    EXPECT_EQ(translator.training_lines().has_value(), lines.has_value());
    const std::vector<std::string> text = {" w3 w4 ? W9 w7 !"};
    return TextLayer(translator, {}).translate(requests_for(text), {}).front();
  };
  EXPECT_EQ(translate({}).chunks.size(), 2u);
  EXPECT_EQ(translate(TrainingLines{0.01, 100}).chunks.size(), 2u);
  EXPECT_EQ(translate(TrainingLines{0.5, 8}).chunks.size(), 2u);
  EXPECT_EQ(translate(TrainingLines{0.5, 100}).chunks.size(), 0u);
}

}  // namespace
}  // namespace heed::translate
