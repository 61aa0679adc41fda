// Names of tensors in files of tutorials and of heed 0.1.
#include "model/names.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "base/files.h"
#include "model/model_file.h"
#include "support/files.h"
#include "support/op_cases.h"
#include "support/small_models.h"

namespace heed::testing {
namespace {

TEST(TensorNames, MapATensorOrAWholeModule) {
  const model::TensorNames names{
      .entries = {{"decoder.rnn.", "decoder.gru."}, {"decoder.attention.v.weight", "decoder.v"}}, .unused = {}};
  EXPECT_EQ(names.in_file("decoder.rnn.weight_ih_l0"), "decoder.gru.weight_ih_l0");
  EXPECT_EQ(names.in_file("decoder.attention.v.weight"), "decoder.v");
  EXPECT_EQ(names.in_file("decoder.attention.v.weights"), "decoder.attention.v.weights");
  EXPECT_EQ(names.in_file("decoder.out.bias"), "decoder.out.bias");
}

// Every entry names a parameter of its preset's model, and no two parameters get the same name.
TEST(TensorNames, TutorialNamesFitTheirSystems) {
  for (const model::Preset& preset : model::presets()) {
    SCOPED_TRACE(preset.name);
    const model::TensorNames names = model::tutorial_names(preset.name);
    EXPECT_EQ(names.entries.empty(), preset.name == "heed");
    const model::Model model(small_config(preset.name));
    std::set<std::string> others, met;
    for (std::size_t i = 0; i < model.parameters().size(); ++i) {
      const std::string& name = model.parameters()[i].name;
      EXPECT_TRUE(others.insert(names.in_file(name)).second) << name;
      for (const auto& [own, other] : names.entries)
        if (name == own || name.starts_with(own)) met.insert(own);
    }
    for (const auto& [own, other] : names.entries)  // not every weight has a bias
      EXPECT_TRUE(met.contains(own) || own.ends_with(".bias")) << own;
  }
  EXPECT_EQ(model::tutorial_names("bahdanau-lstm").in_file("decoder.attention.v.weight"), "decoder.weight");
  EXPECT_EQ(model::tutorial_names("bahdanau-lstm").unused.size(), 2u);
}

TEST(TensorNames, AreReadFromTheConfigurationOfOldFiles) {
  EXPECT_TRUE(model::names_in_config("system = \"vanilla\"", "t").empty());
  const model::TensorNames names = model::names_in_config(
      "[names]\nencoder = \"e\"\nattention_v = \"decoder.weight\"\noutput = \"o\"\nunused = [\"x\"]\n", "t");
  EXPECT_EQ(names.in_file("encoder.rnn.bias_hh_l1_reverse"), "e.bias_hh_l1_reverse");
  EXPECT_EQ(names.in_file("decoder.attention.v.bias"), "decoder.bias");
  EXPECT_EQ(names.in_file("decoder.out.weight"), "o");
  EXPECT_EQ(names.in_file("decoder.out.bias"), "decoder.out.bias");
  EXPECT_THROW(model::names_in_config("[names]\noutput = \"" + std::string(1001, 'x') + "\"\n", "t"), InputError);
}

// Two parameters must not read the same tensor, whatever the configuration in the file says.
TEST(TensorNames, RefusesTwoTensorsWithOneName) {
  const TemporaryDirectory directory;
  model::Model model(small_config("vanilla"));
  model.initialize(1);
  const std::string path = directory.file("model.safetensors");
  const Metadata metadata = {{"heed.format", "1"},
                             {"heed.config", config_to_toml(model.config()) +
                                                 "[names]\nencoder = \"encoder.gru\"\ndecoder = \"encoder.gru\"\n"}};
  model::TensorNames names;
  names.entries = {{"encoder.rnn.", "encoder.gru."}};
  write_safetensors(path, metadata, stored_parameters(model.parameters(), names));
  try {
    model::load_model(path);
    FAIL() << "loaded";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("two tensors would be called 'encoder.gru.weight_ih_l0'"),
              std::string::npos)
        << error.what();
  }
}

// A file of an older version, written here: the tutorial's names inside, and a [names] section that says so.
TEST(TensorNames, OldModelFilesLoadAndExportUnderTheirNames) {
  const TemporaryDirectory directory;
  model::Model model(small_config("luong-general"));
  model.initialize(2);
  const model::TensorNames names = model::tutorial_names("luong-general");
  const std::string path = directory.file("old.safetensors");
  write_safetensors(path,
                    {{"heed.format", "1"},
                     {"heed.config", config_to_toml(model.config()) +
                                         "[names]\nencoder = \"encoder.lstm\"\ndecoder = \"decoder.lstm\"\n"
                                         "attention_query = \"decoder.attention.fc.weight\"\n"
                                         "output = \"decoder.classifier.weight\"\n"}},
                    stored_parameters(model.parameters(), names));
  const std::string bytes = read_file(path);
  for (const bool mapped : {true, false}) {
    const model::ModelFile old =
        mapped ? model::load_model(path) : model::load_model(std::as_bytes(std::span(bytes)), path);
    for (std::size_t i = 0; i < model.parameters().size(); ++i) {
      EXPECT_EQ(old.model->parameters()[i].name, model.parameters()[i].name);
      EXPECT_EQ(numbers(old.model->parameters()[i].value), numbers(model.parameters()[i].value));
      EXPECT_EQ(old.names.in_file(model.parameters()[i].name), names.in_file(model.parameters()[i].name));
    }
  }
}

}  // namespace
}  // namespace heed::testing
