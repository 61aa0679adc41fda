// int8 models: from f32 and back, their files, and what is wrong with bad ones.
#include "model/int8_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/compare.h"
#include "support/files.h"
#include "support/op_cases.h"
#include "support/small_models.h"

namespace heed::testing::int8_tests {  // other files have functions of the same names
namespace {

const std::vector<std::vector<Id>> kTargets = {{3, 1}, {4, 5, 6, 7, 8, 1}, {1}, {9, 10, 11, 12, 1}};

// The losses of all words, by packed row, of the pairs [from, from + count).
std::vector<double> losses(const model::Model& model, std::size_t from = 0, std::size_t count = 4) {
  autograd::Tape tape(model.parameters(), nullptr);
  tape.clear(autograd::Tape::Mode::forward_only);
  const std::vector<Ids> sources(kSmallSources.begin(), kSmallSources.end()), targets(kTargets.begin(), kTargets.end());
  return numbers(
      model.loss(tape, {std::span(sources).subspan(from, count), std::span(targets).subspan(from, count)}, {}).losses);
}

model::InputRanges ranges_of(const model::Model& model) {
  const model::RangeRecorder recorder(model);
  losses(model);
  return recorder.ranges();
}

TEST(Int8Model, EveryPresetComputesNearlyTheSame) {
  const TemporaryDirectory directory;
  for (const model::Preset& preset : model::presets()) {
    SCOPED_TRACE(preset.name);
    model::Model model(small_config(preset.name));
    model.initialize(11);
    const std::vector<double> exact = losses(model);
    const std::string path = directory.file("int8.safetensors");
    save_int8_model(path, model, ranges_of(model), {{"heed.note", "hello"}});
    const model::ModelFile loaded = model::load_model(path);
    ASSERT_TRUE(is_int8(*loaded.model));
    EXPECT_FALSE(is_int8(model));
    EXPECT_EQ(loaded.metadata.size(), 1u);
    EXPECT_EQ(loaded.model->parameters().count(), model.parameters().count());
    EXPECT_EQ(difference(losses(*loaded.model), exact, {.absolute = 0.05}), "");
    EXPECT_NE(losses(*loaded.model), exact);
    // The numbers that it stands for differ from the model's own by less than a step of the coarsest row.
    const model::ModelFile f32 = model::load_f32_model(path);
    EXPECT_FALSE(is_int8(*f32.model));
    for (std::size_t i = 0; i < model.parameters().size(); ++i) {
      const std::vector<double> own = numbers(model.parameters()[i].value);
      double largest = 0;
      for (const double value : own) largest = std::max(largest, std::abs(value));
      EXPECT_EQ(difference(numbers(f32.model->parameters()[i].value), own, {.absolute = largest / 60}), "")
          << model.parameters()[i].name;
    }
  }
}

TEST(Int8Model, TheSameBitsFromAFileAndFromMemory) {
  const TemporaryDirectory directory;
  model::Model model(small_config("bigru-deep-output"));
  model.initialize(11);
  const std::string path = directory.file("int8.safetensors"), again = directory.file("again.safetensors");
  save_int8_model(path, model, ranges_of(model), {});
  save_int8_model(again, model, ranges_of(model), {});
  const std::string bytes = read_file(path);
  EXPECT_EQ(bytes, read_file(again));
  const std::vector<double> mapped = losses(*model::load_model(path).model);
  EXPECT_EQ(losses(*model::load_model(path, model::ModelMemory::copied).model), mapped);
  std::string moved = "x" + bytes;  // not aligned
  const model::ModelFile from_bytes = model::load_model(std::as_bytes(std::span(moved)).subspan(1), "memory");
  moved.clear();
  EXPECT_EQ(losses(*from_bytes.model), mapped);
  // Sentences alone have the bits that they have in the batch.
  std::vector<double> alone;
  for (std::size_t i = 0; i < 4; ++i) std::ranges::copy(losses(*from_bytes.model, i, 1), std::back_inserter(alone));
  std::vector<double> together = mapped;
  std::ranges::sort(alone);
  std::ranges::sort(together);
  EXPECT_EQ(alone, together);
}

TEST(Int8Model, RangesAreRecordedByColumn) {
  model::ModelConfig config = small_config("bigru-deep-output");
  config.decoder.embedding = 64;
  config.decoder.hidden = 70;
  model::Model model(config);
  model.initialize(3);
  for (std::size_t i = 0; i < model.parameters().size(); ++i)
    if (model.parameters()[i].name == "decoder.embedding.weight")
      std::ranges::fill(model.parameters()[i].value.span<float>(), -3.0f);
  const model::InputRanges ranges = ranges_of(model);
  const std::vector<float>& input = ranges.largest.at("decoder.rnn.weight_ih_l0");  // [embedding; context]
  ASSERT_EQ(input.size(), 2u);
  EXPECT_EQ(input[0], 3.0f);
  EXPECT_GT(input[1], 0.0f);
  EXPECT_LT(input[1], 1.0f);
  const std::vector<float>& combine = ranges.largest.at("decoder.attention.combine.weight");  // [state; encoder states]
  ASSERT_EQ(combine.size(), 2u);
  EXPECT_LT(combine[0], 1.0f);
  EXPECT_FALSE(ranges.largest.contains("decoder.embedding.weight"));
  EXPECT_FALSE(ranges.largest.contains("decoder.attention.v.weight"));
  EXPECT_EQ(model::InputRanges::from_json(ranges.to_json(), model, "json").largest, ranges.largest);
  losses(model);  // after the recorder's end
  EXPECT_THROW(model::InputRanges::from_json("{}", model, "json"), InputError);
  EXPECT_THROW(model::InputRanges::from_json("[]", model, "json"), InputError);
  model::InputRanges wrong = ranges;
  wrong.largest["decoder.rnn.weight_ih_l0"] = {1, -2};
  EXPECT_THROW(model::InputRanges::from_json(wrong.to_json(), model, "json"), InputError);
  wrong.largest["decoder.rnn.weight_ih_l0"] = {1};
  EXPECT_THROW(model::InputRanges::from_json(wrong.to_json(), model, "json"), InputError);
}

// The tensors of a valid int8 file, to be damaged.
struct Int8Damage {
  explicit Int8Damage(const TemporaryDirectory& d) : directory(d) {
    model::Model model(small_config("vanilla"));
    model.initialize(1);
    const std::string path = d.file("good.safetensors");
    save_int8_model(path, model, ranges_of(model), {});
    file.emplace(path);
    tensors.assign(file->tensors().begin(), file->tensors().end());
  }
  StoredTensor& tensor(std::string_view name) {
    return *std::ranges::find_if(tensors, [&](const StoredTensor& t) { return t.name == name; });
  }
  std::string error() {
    const std::string damaged = directory.file("damaged.safetensors");
    write_safetensors(damaged, file->metadata(), tensors);
    try {
      model::load_model(damaged);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no InputError";
  }
  const TemporaryDirectory& directory;
  std::optional<Safetensors> file;
  std::vector<StoredTensor> tensors;
};

TEST(Int8Model, ReportsWhatIsWrongWithAFile) {
  const TemporaryDirectory directory;
  EXPECT_EQ(Int8Damage(directory).error(), "no InputError");
  const std::string scale = "decoder.out.weight.scale", factor = "decoder.out.weight.input_factor";
  for (const std::string& name : {scale, factor}) {
    for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), 0.0f, -1.0f, 1e-30f, 1e30f}) {
      Int8Damage s(directory);
      std::vector<float> numbers = s.tensor(name).values<float>();
      numbers[3] = bad;
      s.tensor(name).data = std::as_bytes(std::span(numbers));
      EXPECT_NE(s.error().find(name + "' holds"), std::string::npos) << s.error();
    }
    Int8Damage missing(directory);
    std::erase_if(missing.tensors, [&](const StoredTensor& t) { return t.name == name; });
    EXPECT_NE(missing.error().find("has no tensor '" + name), std::string::npos) << missing.error();
  }
  {
    Int8Damage s(directory);
    s.tensor(scale).shape = {1, 14};
    EXPECT_NE(s.error().find("[1,14], expected [14]"), std::string::npos) << s.error();
  }
  {
    Int8Damage s(directory);
    std::swap(s.tensor("decoder.out.weight").shape[0], s.tensor("decoder.out.weight").shape[1]);
    EXPECT_NE(s.error().find("expected [14,"), std::string::npos) << s.error();
  }
  {
    Int8Damage s(directory);
    s.tensor("decoder.out.weight").type = StoredType::u8;
    EXPECT_NE(s.error().find("is U8, expected I8"), std::string::npos) << s.error();
  }
  {
    Int8Damage s(directory);
    s.tensor("decoder.out.weight").name = "decoder.output.weight";
    EXPECT_NE(s.error().find("has the tensor 'decoder.output.weight', which"), std::string::npos) << s.error();
  }
  {
    Int8Damage s(directory);  // bytes before the others, so that their numbers are not aligned
    const std::vector<std::int8_t> one = {1};
    s.tensors.insert(s.tensors.begin(),
                     {"encoder.rnn.x", StoredType::i8, {1}, std::as_bytes(std::span<const std::int8_t>(one))});
    EXPECT_NE(s.error(), "no InputError");
  }
}

}  // namespace
}  // namespace heed::testing::int8_tests
