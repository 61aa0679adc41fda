// Runs that start from a model: parameters, vocabularies, settings, resuming.
#include "train/parent_model.h"

#include "train/run_fixture.h"

namespace heed::testing {
namespace {

class FineTuning : public Runs {
 protected:
  FineTuning() {
    config_.text = {.tokenizer = "words"};
    config_.validation.updates = 0;
    Observer observer;
    run("parent", 1, 1, train::Start::fresh, observer);
    // New text: "boat", "boot" and "teich" are unknown to the parent.
    std::string source, target;
    for (int i = 0; i < 24; ++i) {
      source += fmt::format("the boat {} is near lake {}\n", i % 7, i % 5);
      target += fmt::format("das boot {} ist am {} {}\n", i % 7, i % 3 == 0 ? "teich" : "see", i % 5);
    }
    files_.train_source = {directory_.file("new.source")};
    files_.train_target = {directory_.file("new.target")};
    write_file_atomically(files_.train_source[0], source);
    write_file_atomically(files_.train_target[0], target);
    files_.from = directory_.file("parent");
  }

  model::ModelFile model(const std::string& name) {
    return model::load_model(directory_.file(name) + "/model.safetensors");
  }
  translate::TextPipeline pipeline(const std::string& name) { return translate::read_pipeline(model(name), name); }

  train::RunResult tune(const std::string& out, Observer& observer, train::Start start = train::Start::fresh) {
    return run(out, 1, 1, start, observer);
  }
  train::RunResult tune(const std::string& out) {
    Observer observer;
    return tune(out, observer);
  }
};

std::vector<float> values(const model::Model& model, std::string_view name) {
  const autograd::Parameters& all = model.parameters();
  const auto span = all[all.find(name)].value.span<float>();
  return {span.begin(), span.end()};
}

TEST_F(FineTuning, StartsFromTheParametersAndVocabulariesOfTheParent) {
  config_.training.learning_rate = 1e-30;  // nothing changes
  tune("same");
  const model::ModelFile before = model("parent"), after = model("same");
  ASSERT_EQ(after.model->parameters().size(), before.model->parameters().size());
  for (std::size_t i = 0; i < before.model->parameters().size(); ++i) {
    const std::string& name = before.model->parameters()[i].name;
    EXPECT_EQ(values(*after.model, name), values(*before.model, name)) << name;
  }
  EXPECT_TRUE(pipeline("same").reads_like(pipeline("parent")));
  const Safetensors parent(directory_.file("parent") + "/model.safetensors");
  EXPECT_NE(after.find_metadata("heed.provenance")->find(*parent.find_metadata(kChecksumKey)), std::string::npos);
  EXPECT_EQ(before.find_metadata("heed.provenance")->find("from"), std::string::npos);
}

TEST_F(FineTuning, AddsTheMostFrequentNewWordsToTheVocabularies) {
  config_.data.extend_vocabulary = 1;
  config_.training.learning_rate = 1e-30;
  tune("extended");
  const translate::TextPipeline before = pipeline("parent"), after = pipeline("extended");
  ASSERT_EQ(after.source().size(), before.source().size() + 1);
  ASSERT_EQ(after.target().size(), before.target().size() + 1);
  for (text::TokenId id = 0; id < before.source().size(); ++id)
    EXPECT_EQ(after.source().word(id), before.source().word(id));
  EXPECT_EQ(after.source().word(static_cast<text::TokenId>(before.source().size())), "boat");
  EXPECT_EQ(after.target().word(static_cast<text::TokenId>(before.target().size())), "boot") << "more than teich";

  // Old rows are copied; a new one is the mean of the old ones.
  const model::ModelFile old_file = model("parent"), new_file = model("extended");
  for (const char* name :
       {"encoder.embedding.weight", "decoder.embedding.weight", "decoder.out.weight", "decoder.out.bias"}) {
    const std::vector<float> old_rows = values(*old_file.model, name), new_rows = values(*new_file.model, name);
    const std::size_t width = new_rows.size() - old_rows.size(), rows = old_rows.size() / width;
    ASSERT_GT(width, 0U);
    ASSERT_EQ(rows * width, old_rows.size());
    for (std::size_t i = 0; i < old_rows.size(); ++i) ASSERT_EQ(new_rows[i], old_rows[i]) << name;
    for (std::size_t k = 0; k < width; ++k) {
      double sum = 0;
      for (std::size_t row = 0; row < rows; ++row) sum += static_cast<double>(old_rows[row * width + k]);
      EXPECT_NEAR(new_rows[old_rows.size() + k], sum / static_cast<double>(rows), 1e-6) << name;
    }
  }
}

TEST_F(FineTuning, CountsTheWordsOfBothTexts) {
  config_.data.extend_vocabulary = 10;
  tune("counted");
  const auto before = translate::read_frequencies(model("parent"), "parent"),
             after = translate::read_frequencies(model("counted"), "counted");
  ASSERT_TRUE(before && after);
  const text::Vocabulary words = pipeline("counted").source();
  const auto count = [&](const translate::Frequencies& f, std::string_view word) {
    return f.source[static_cast<std::size_t>(words.id(word))];
  };
  EXPECT_EQ(count(*before, "the"), 60);
  EXPECT_EQ(count(*after, "the"), 84);
  EXPECT_EQ(count(*after, "house"), 60);
  EXPECT_EQ(count(*after, "boat"), 24);
  EXPECT_EQ(after->source[static_cast<std::size_t>(words.special().eos)], 84);
}

TEST_F(FineTuning, ASharedTiedVocabularyGrowsOnBothSides) {
  files_.from.clear();
  config_.model.tied = model::Tying::all;
  config_.model.encoder.embedding = config_.model.decoder.embedding = config_.model.output_width();
  config_.model.readout = {.parts = {model::Part::state}, .tanh = true, .size = config_.model.encoder.embedding};
  config_.data.shared_vocabulary = true;
  tune("tied");
  files_.from = directory_.file("tied");
  config_.data.extend_vocabulary = 0;
  // The text of the constructor is now the parent's; one new word on each side.
  write_file_atomically(files_.train_source[0], "the boat is red\nthe boat is red\n");
  write_file_atomically(files_.train_target[0], "das boot ist rot\ndas boot ist am see\n");
  config_.data.extend_vocabulary = 10;
  tune("grown");
  const translate::TextPipeline before = pipeline("tied"), after = pipeline("grown");
  EXPECT_EQ(after.source(), after.target());
  EXPECT_EQ(after.source().size(), before.source().size() + 2) << "red and rot";
  EXPECT_EQ(after.source().word(static_cast<text::TokenId>(before.source().size())), "red");
  EXPECT_NE(after.target().id("rot"), after.target().special().unk);
}

TEST_F(FineTuning, AStoppedRunResumesWithTheSameBytes) {
  config_.data.extend_vocabulary = 2;
  Observer whole, stopped(4), finished;
  tune("whole", whole);
  EXPECT_EQ(tune("parts", stopped).end, train::RunResult::End::stopped);
  EXPECT_EQ(tune("parts", finished, train::Start::resume).end, train::RunResult::End::done);
  expect_same_files("whole", "parts");
}

TEST_F(FineTuning, ResumesOnlyWithTheSameParent) {
  Observer stopped(4), again;
  tune("run", stopped);
  const std::string parent = files_.from;
  files_.from.clear();
  EXPECT_THROW(tune("run", again, train::Start::resume), UsageError);
  files_.from = parent;
  config_.training.seed = 2;
  tune("other");  // the same vocabulary, other parameters
  config_.training.seed = 1;
  files_.from = directory_.file("other");
  EXPECT_THROW(tune("run", again, train::Start::resume), UsageError);
  files_.from = parent;
  EXPECT_EQ(tune("run", again, train::Start::resume).end, train::RunResult::End::done);
}

TEST_F(FineTuning, RefusesSettingsThatContradictTheParent) {
  const train::ParentModel parent(files_.from);
  const auto refusal = [&](train::RunConfig config) -> std::string {
    try {
      parent.check_settings(config);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(config_), "");
  train::RunConfig config = config_;
  config.model.dropout.readout = 0.4;
  config.model.vocabulary.source = 7;
  config.text.subword_sampling = 0.1;
  config.text.source_language = "en";
  EXPECT_EQ(refusal(config), "");
  config.model.encoder.hidden = 13;
  EXPECT_NE(refusal(config).find("encoder.hidden is 13, but it is 12 in the model"), std::string::npos);
  config = config_;
  config.text.tokenizer = "characters";
  EXPECT_NE(refusal(config).find("data.tokenizer"), std::string::npos);
  config = config_;
  config.data.shared_vocabulary = true;
  EXPECT_NE(refusal(config).find("data.shared_vocabulary"), std::string::npos);
  config_.model.encoder.hidden = 13;
  EXPECT_THROW(tune("refused"), UsageError);
  EXPECT_FALSE(std::filesystem::exists(directory_.file("refused"))) << "nothing is created";
}

TEST_F(FineTuning, DefaultsComeFromTheParentAndLeaveWhatIsSet) {
  const train::ParentModel parent(files_.from);
  train::RunConfig config;
  config.training.learning_rate = 0.01;
  config.training.schedule.warmup = 100;
  Options options;
  declare(options, config);
  options.apply_setting("dropout.readout=0.25");
  parent.apply_defaults(options, config);
  EXPECT_EQ(config.model.encoder.hidden, 12);
  EXPECT_EQ(config.model.system, "bahdanau-lstm");
  EXPECT_EQ(config.text.tokenizer, "words");
  EXPECT_EQ(config.training.learning_rate, 0.01) << "the preset's";
  EXPECT_EQ(config.training.schedule.warmup, 0);
  EXPECT_EQ(config.model.dropout.readout, 0.25);
}

TEST_F(FineTuning, AddsCharactersThatSubwordsLack) {
  files_.from.clear();
  config_.text = {.tokenizer = "bpe", .subwords = 40, .subword_joint = true};
  tune("subwords");
  files_.from = directory_.file("subwords");
  write_file_atomically(files_.train_source[0], "the boat % is\nthe boat is\n");
  write_file_atomically(files_.train_target[0], "das boot % ist\ndas boot ist\n");
  config_.data.extend_vocabulary = 5;
  tune("percent");
  const translate::TextPipeline before = pipeline("subwords"), after = pipeline("percent");
  EXPECT_EQ(before.source().id("%"), before.source().special().unk);
  EXPECT_EQ(after.source().size(), before.source().size() + 1);
  EXPECT_NE(after.source().id("%"), after.source().special().unk);
  EXPECT_EQ(after.detokenize({"▁das", "▁", "%"}).text, "das %");
}

}  // namespace
}  // namespace heed::testing
