// The composed model: batches, invalid settings, learning, model files.
#include "model/model.h"

#include <gtest/gtest.h>

#include "model/model_file.h"
#include "model/recurrent.h"
#include "support/compare.h"
#include "support/files.h"
#include "support/op_cases.h"
#include "support/small_models.h"

namespace heed::testing {
namespace {

const auto& kSources = kSmallSources;
const std::vector<std::vector<Id>> kTargets = {{3, 1}, {4, 5, 6, 7, 8, 1}, {1}, {9, 10, 11, 12, 1}};

std::vector<Ids> views(const std::vector<std::vector<Id>>& sentences) {
  return {sentences.begin(), sentences.end()};
}

// Every preset, in double: the batch's loss and gradients are the sums over its sentences, and the gradients of every
// parameter are derivatives of the loss.
TEST(Model, BatchIsTheSumOfItsSentencesAndGradientsAreDerivatives) {
  for (const model::Preset& preset : model::presets()) {
    SCOPED_TRACE(preset.name);
    model::Model model(small_config(preset.name), DType::f64);
    model.initialize(3);
    autograd::Gradients together(model.parameters()), alone(model.parameters());
    autograd::Tape batch_tape(model.parameters(), &together), tape(model.parameters(), &alone);
    const auto sources = views(kSources), targets = views(kTargets);
    const model::BatchLossOptions options{.smoothing = 0.1, .weight = 0.3};
    batch_tape.clear(autograd::Tape::Mode::record);
    const double loss = model.loss(batch_tape, {sources, targets}, options).loss;
    batch_tape.backward();
    double sum = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      tape.clear(autograd::Tape::Mode::record);
      sum += model.loss(tape, {std::span(sources).subspan(i, 1), std::span(targets).subspan(i, 1)}, options).loss;
      tape.backward();
    }
    EXPECT_NEAR(loss, sum, 1e-12 * sum);
    EXPECT_EQ(difference(numbers(together.flat()), numbers(alone.flat()), {.absolute = 1e-13, .relative = 1e-12}), "");

    // Two elements of each parameter by central differences.
    const auto loss_now = [&] {
      tape.clear(autograd::Tape::Mode::forward_only);
      return 0.3 * model.loss(tape, {sources, targets}, options).loss;
    };
    for (std::size_t k = 0; k < model.parameters().size(); ++k) {
      const autograd::Parameter& p = model.parameters()[k];
      for (const Index i : {Index{0}, p.value.elements() * 2 / 3}) {
        double& x = p.value.data<double>()[i];
        const double before = x;
        x = before + 1e-5;
        const double above = loss_now();
        x = before - 1e-5;
        const double below = loss_now();
        x = before;
        EXPECT_NEAR(together[autograd::ParameterId{static_cast<int>(k)}].data<double>()[i], (above - below) / 2e-5,
                    1e-7)
            << p.name << " " << i;
      }
    }
  }
}

// A sentence gets the same dropout in any batch and on any worker.
TEST(Model, DropoutDependsOnTheSentenceNotOnTheBatch) {
  model::ModelConfig config = small_config("heed");
  config.dropout = {.source_embedding = 0.3,
                    .target_embedding = 0.3,
                    .source_words = 0.3,
                    .target_words = 0.3,
                    .recurrent = 0.3,
                    .layers = 0.3,
                    .readout = 0.3};
  config.encoder.layers = 2;
  config.decoder.layers = 2;
  model::Model model(config, DType::f64);
  model.initialize(3);
  autograd::Gradients gradients(model.parameters());
  autograd::Tape tape(model.parameters(), &gradients);
  const auto sources = views(kSources), targets = views(kTargets);
  const auto loss_of = [&](std::vector<std::uint32_t> which, std::uint32_t update) {
    std::vector<Ids> s, t;
    for (const std::uint32_t i : which) s.push_back(sources[i]), t.push_back(targets[i]);
    const model::TrainRandom random{.seed = 5, .update = update, .sentence_keys = which};
    tape.clear(autograd::Tape::Mode::record);
    return model.loss(tape, {s, t}, {.random = &random}).loss;
  };
  const double all = loss_of({0, 1, 2, 3}, 7);
  EXPECT_NEAR(loss_of({3, 1}, 7) + loss_of({2, 0}, 7), all, 1e-12 * all);
  EXPECT_NE(loss_of({0, 1, 2, 3}, 8), all);
}

// With fixed masks, the gradients with every kind of dropout are derivatives; and each kind changes the loss.
TEST(Model, DropoutHasAGradient) {
  for (const char* name : {"heed", "bahdanau-lstm"}) {
    const model::DropoutConfig kinds[] = {{.source_words = 0.4},
                                          {.target_words = 0.4},
                                          {.recurrent = 0.4},
                                          {.source_embedding = 0.2,
                                           .target_embedding = 0.2,
                                           .source_words = 0.2,
                                           .target_words = 0.2,
                                           .recurrent = 0.2,
                                           .layers = 0.2,
                                           .readout = 0.2}};
    double plain = 0;
    for (const model::DropoutConfig& dropout : kinds) {
      model::ModelConfig config = small_config(name);
      config.dropout = dropout;
      model::Model model(config, DType::f64);
      model.initialize(3);
      autograd::Gradients gradients(model.parameters());
      autograd::Tape tape(model.parameters(), &gradients);
      const auto sources = views(kSources), targets = views(kTargets);
      const std::vector<std::uint32_t> keys = {0, 1, 2, 3};
      const model::TrainRandom random{.seed = 5, .update = 3, .sentence_keys = keys};
      const auto loss_now = [&](const model::TrainRandom* with) {
        tape.clear(autograd::Tape::Mode::record);
        return model.loss(tape, {sources, targets}, {.random = with}).loss;
      };
      plain = loss_now(nullptr);
      gradients.clear();
      EXPECT_GT(std::abs(loss_now(&random) - plain), 1e-3) << name;
      tape.backward();
      const std::vector<double> kept = numbers(gradients.flat());
      for (std::size_t k = 0; k < model.parameters().size(); ++k) {
        const autograd::Parameter& p = model.parameters()[k];
        const Index i = p.value.elements() * 2 / 3;
        double& x = p.value.data<double>()[i];
        const double before = x;
        x = before + 1e-5;
        const double above = loss_now(&random);
        x = before - 1e-5;
        const double below = loss_now(&random);
        x = before;
        const Index at = model.parameters().offset(autograd::ParameterId{static_cast<int>(k)}) + i;
        EXPECT_NEAR(kept[static_cast<std::size_t>(at)], (above - below) / 2e-5, 1e-6) << name << " " << p.name;
      }
    }
  }
}

// One mask for all steps: it applies to the state that the gates read, not to the state that is carried over.
TEST(Model, RecurrentDropoutKeepsItsMaskOverTheSteps) {
  autograd::Parameters parameters(DType::f64);
  const model::CellParameters layer =
      model::CellParameters::declare(parameters, "rnn", 0, false, cell_kind(model::Cell::gru), 3, 5);
  parameters.allocate();
  randomize(parameters.flat(), 1);
  autograd::Gradients gradients(parameters);
  autograd::Tape tape(parameters, &gradients);
  tape.clear(autograd::Tape::Mode::record);
  const std::vector<std::vector<Id>> sentences = {{1, 2}, {3, 4, 5, 6}, {7, 8, 9}};
  const auto batch = views(sentences);
  const model::Packing packing = model::pack(tape.arena(), batch);
  const autograd::Var input = tape.variable(packing.rows, 3), states = tape.variable(packing.rows, 5);
  randomize(input.value, 2);
  const std::vector<std::uint32_t> keys = {11, 12, 13};
  const autograd::Var mask = dropout_mask(tape, 5, {.rate = 0.5, .random = Random(4, Stream::dropout)}, keys);
  run_layer(tape, layer, packing, input, states, {.mask = mask});

  const autograd::Var gx = linear(tape, input, tape.parameter(layer.w_ih), tape.parameter(layer.b_ih));
  model::CellState state{tape.zeros(3, 5), {}};
  for (std::size_t t = 0; t < packing.active.size(); ++t) {
    const Index n = packing.active[t], row = packing.offset[t];
    state = state.slice_rows(0, n);
    const autograd::Var masked = mul(tape, state.h, mask.slice_rows(0, n));
    const autograd::Var gh = linear(tape, masked, tape.parameter(layer.w_hh), tape.parameter(layer.b_hh));
    state = layer.kind->step(tape, gx.slice_rows(row, n), gh, state);
    EXPECT_EQ(difference(numbers(states.slice_rows(row, n).value), numbers(state.h.value), {.absolute = 1e-14}), "");
  }
}

// Free running and sampled steps: the same coins fall in any split of the batch, and with the words held fixed by a
// small enough step the gradients are derivatives here too.
TEST(Model, SampledStepsFollowTheirCoins) {
  for (const char* name : {"bigru-deep-output", "luong-dot", "location-gru", "tensor-dance", "alignment-gru"}) {
    for (const bool per_sentence : {false, true}) {
      SCOPED_TRACE(std::string(name) + (per_sentence ? ", decided per sentence" : ", decided per step"));
      model::ModelConfig config = small_config(name);
      config.dropout = {};
      model::Model model(config, DType::f64);
      model.initialize(3);
      autograd::Gradients gradients(model.parameters());
      autograd::Tape tape(model.parameters(), &gradients);
      const auto sources = views(kSources), targets = views(kTargets);
      const auto loss_of = [&](std::vector<std::uint32_t> which, double teacher_forcing) {
        std::vector<Ids> s, t;
        for (const std::uint32_t i : which) s.push_back(sources[i]), t.push_back(targets[i]);
        const model::TrainRandom random{.seed = 5, .update = 2, .sentence_keys = which};
        tape.clear(autograd::Tape::Mode::record);
        return model
            .loss(tape, {s, t},
                  {.random = &random, .teacher_forcing = teacher_forcing, .forcing_per_sentence = per_sentence})
            .loss;
      };
      const double taught = loss_of({0, 1, 2, 3}, 1), half = loss_of({0, 1, 2, 3}, 0.5),
                   free = loss_of({0, 1, 2, 3}, 0);
      EXPECT_NE(taught, free);
      EXPECT_TRUE(half != taught || half != free);
      EXPECT_NEAR(loss_of({3, 1}, 0.5) + loss_of({2, 0}, 0.5), half, 1e-12 * half);

      gradients.clear();
      loss_of({0, 1, 2, 3}, 0.5);
      tape.backward();
      // Kept now: a loss sends the output layer's gradient on the way forward, so the runs below add to it.
      std::vector<double> kept;
      for (std::size_t k = 0; k < model.parameters().size(); ++k) {
        const Tensor gradient = gradients[autograd::ParameterId{static_cast<int>(k)}];
        kept.push_back(gradient.data<double>()[gradient.elements() / 2]);
      }
      for (std::size_t k = 0; k < model.parameters().size(); ++k) {
        const autograd::Parameter& p = model.parameters()[k];
        double& x = p.value.data<double>()[p.value.elements() / 2];
        const double before = x;
        x = before + 1e-6;
        const double above = loss_of({0, 1, 2, 3}, 0.5);
        x = before - 1e-6;
        const double below = loss_of({0, 1, 2, 3}, 0.5);
        x = before;
        EXPECT_NEAR(kept[k], (above - below) / 2e-6, 1e-6) << p.name;
      }
    }
  }
}

TEST(Model, NamesSettingsThatContradictEachOther) {
  const auto message = [](const model::ModelConfig& c) {
    try {
      check_config(c);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  for (const char* name : {"luong-dot", "luong-general", "luong-concat"}) {
    model::ModelConfig c = small_config(name);
    c.encoder.hidden = 64;
    const std::string sentence = message(c);
    EXPECT_NE(sentence.find("encoder.hidden"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("decoder.hidden"), std::string::npos) << sentence;
    c.decoder.hidden = 64;
    EXPECT_EQ(message(c), "no error");
  }
  model::ModelConfig c = small_config("heed");
  c.vocabulary.eos = 12;
  EXPECT_NE(message(c).find("vocabulary.eos is 12"), std::string::npos);
  c = small_config("heed");
  c.attention.position = model::AttentionPosition::after;
  EXPECT_NE(message(c).find("attention.position"), std::string::npos);
  c = small_config("heed");
  c.readout.size = 7;
  EXPECT_NE(message(c).find("readout.size to 6"), std::string::npos) << message(c);
  c = small_config("vanilla");
  c.readout.parts = {model::Part::state, model::Part::context};
  EXPECT_NE(message(c).find("no context"), std::string::npos);
  c = small_config("vanilla");
  c.decoder.input = {model::Part::embedding, model::Part::feed};
  EXPECT_NE(message(c).find("readout.tanh"), std::string::npos);
}

TEST(Model, RefusesInvalidBatches) {
  model::Model model(small_config("location-gru"));
  model.initialize(1);
  autograd::Tape tape(model.parameters(), nullptr);
  tape.clear(autograd::Tape::Mode::forward_only);
  const std::vector<Id> lengthy(10, 3), empty, outside = {3, 12, 1}, fine = {3, 1};
  const auto forced = [&](Ids source, Ids target) {
    model.loss(tape, {std::vector<Ids>{source}, std::vector<Ids>{target}}, {});
  };
  EXPECT_NO_THROW(forced(fine, fine));
  EXPECT_THROW(forced(lengthy, fine), UsageError);
  EXPECT_THROW(forced(empty, fine), ShapeError);
  EXPECT_THROW(forced(fine, empty), ShapeError);
  EXPECT_THROW(forced(outside, fine), ShapeError);
  EXPECT_THROW(forced(fine, std::vector<Id>{-1, 1}), ShapeError);
  EXPECT_THROW(model.loss(tape, {std::vector<Ids>{fine}, std::vector<Ids>{}}, {}), ShapeError);
}

// The largest absolute value of a parameter.
double largest(const model::Model& model, const char* name) {
  const autograd::ParameterId id = model.parameters().find(name);
  EXPECT_TRUE(id) << name;
  double most = 0;
  for (const double x : numbers(model.parameters()[id].value)) most = std::max(most, std::abs(x));
  return most;
}

// PyTorch's bounds: 1 / sqrt(hidden) in recurrent networks, 1 / sqrt(inputs) in linear layers and their biases, normal
// embeddings unless they are tied.
TEST(Model, InitializesParametersAsDeclared) {
  model::ModelConfig c = small_config("bigru-deep-output");
  c.encoder.hidden = 16;
  c.decoder.hidden = 25;
  c.encoder.embedding = c.decoder.embedding = 49;
  const auto expect_bound = [](const model::Model& model, const char* name, double bound) {
    EXPECT_LE(largest(model, name), bound) << name;
    EXPECT_GT(largest(model, name), 0.6 * bound) << name;
  };
  {
    model::Model model(c);
    model.initialize(4);
    EXPECT_GT(largest(model, "encoder.embedding.weight"), 2);
    EXPECT_GT(largest(model, "decoder.embedding.weight"), 2);
    for (const char* name : {"encoder.rnn.weight_ih_l0", "encoder.rnn.weight_hh_l0_reverse", "encoder.rnn.bias_ih_l0"})
      expect_bound(model, name, 1 / std::sqrt(16.0));
    expect_bound(model, "decoder.rnn.weight_ih_l0", 1 / std::sqrt(25.0));
    for (const char* name : {"encoder.bridge.weight", "encoder.bridge.bias"})
      expect_bound(model, name, 1 / std::sqrt(32.0));
    for (const char* name : {"decoder.attention.combine.weight", "decoder.attention.combine.bias"})
      expect_bound(model, name, 1 / std::sqrt(25.0 + 32));
    expect_bound(model, "decoder.attention.v.weight", 1 / std::sqrt(25.0));
    for (const char* name : {"decoder.out.weight", "decoder.out.bias"})
      expect_bound(model, name, 1 / std::sqrt(25.0 + 32 + 49));
  }
  {
    model::ModelConfig tied = small_config("heed");
    model::Model model(tied);
    model.initialize(4);
    for (const char* name : {"encoder.embedding.weight", "decoder.embedding.weight", "decoder.out.bias"})
      expect_bound(model, name, 1 / std::sqrt(6.0));
  }
  c.initialization = model::Initialization::glorot;
  model::Model model(c);
  model.initialize(4);
  EXPECT_EQ(largest(model, "decoder.out.bias"), 0);
  EXPECT_EQ(largest(model, "encoder.rnn.bias_hh_l0"), 0);
  expect_bound(model, "encoder.embedding.weight", std::sqrt(6.0 / (12 + 49)));
  expect_bound(model, "decoder.rnn.weight_hh_l0", std::sqrt(6.0 / (75 + 25)));
}

TEST(ModelFile, SavingAndLoadingKeepsEveryBit) {
  const TemporaryDirectory directory;
  for (const model::Preset& preset : model::presets()) {
    model::Model model(small_config(preset.name));
    model.initialize(11);
    const std::string path = directory.file("model.safetensors"), again = directory.file("again.safetensors");
    save_model(path, model, {{model::kSourceVocabularyKey, "a\nb\n"}, {"heed.note", "hello"}});
    const model::ModelFile loaded = model::load_model(path);
    for (std::size_t i = 0; i < model.parameters().size(); ++i)
      EXPECT_EQ(numbers(loaded.model->parameters()[i].value), numbers(model.parameters()[i].value)) << preset.name;
    const std::string bytes = read_file(path);
    const model::ModelFile copied = model::load_model(std::as_bytes(std::span(bytes)), path);
    EXPECT_EQ(numbers(copied.model->parameters().flat()), numbers(model.parameters().flat())) << preset.name;
    EXPECT_EQ(loaded.metadata.size(), 2u);
    save_model(again, *loaded.model, loaded.metadata);
    EXPECT_EQ(read_file(path), read_file(again)) << preset.name;
  }
}

std::string load_error(const std::string& path) {
  try {
    model::load_model(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

// The stored tensors and metadata of a valid model, to be damaged.
struct Damaged {
  explicit Damaged(const TemporaryDirectory& d) : directory(d), path(d.file("good.safetensors")) {
    model::Model model(small_config("vanilla"));
    model.initialize(1);
    save_model(path, model, {});
    file.emplace(path);
    tensors.assign(file->tensors().begin(), file->tensors().end());
    metadata = file->metadata();
  }
  std::string error() {
    const std::string damaged = directory.file("damaged.safetensors");
    write_safetensors(damaged, metadata, tensors);
    return load_error(damaged);
  }
  const TemporaryDirectory& directory;
  std::string path;
  std::optional<Safetensors> file;
  std::vector<StoredTensor> tensors;
  Metadata metadata;
};

TEST(ModelFile, ReportsWhatIsWrong) {
  const TemporaryDirectory directory;
  const auto set = [](Damaged& s, const std::string& key, const std::string& value) {
    for (auto& [k, v] : s.metadata)
      if (k == key) v = value;
  };
  {
    Damaged s(directory);
    set(s, "heed.format", "3");
    EXPECT_NE(s.error().find("a newer heed is needed"), std::string::npos) << s.error();
  }
  {
    Damaged s(directory);
    s.metadata.clear();
    EXPECT_NE(s.error().find("heed import"), std::string::npos) << s.error();
  }
  {
    Damaged s(directory);
    set(s, "heed.config", "encoder.cell = 3");
    EXPECT_NE(s.error().find("encoder.cell"), std::string::npos) << s.error();
  }
  {
    // A configuration that needs more memory than there is, in a small file: refused before any of it is allocated.
    Damaged s(directory);
    for (auto& [k, v] : s.metadata)
      for (std::size_t at = 0; k == "heed.config" && (at = v.find("hidden = 10")) != v.npos;)
        v.replace(at, 11, "hidden = 65000");
    EXPECT_NE(s.error().find("[30,6], expected [195000,6]"), std::string::npos) << s.error();
  }
  {
    Damaged s(directory);
    s.tensors.pop_back();
    EXPECT_NE(s.error().find("decoder.out.bias"), std::string::npos) << s.error();
  }
  {
    Damaged s(directory);
    s.tensors[0].name = "encoder.embeding.weight";
    EXPECT_NE(s.error().find("has the tensor 'encoder.embeding.weight', which"), std::string::npos) << s.error();
  }
  {
    Damaged s(directory);
    std::swap(s.tensors[0].shape[0], s.tensors[0].shape[1]);
    EXPECT_NE(s.error().find("[6,12]"), std::string::npos) << s.error();
  }
  {
    Damaged s(directory);
    std::vector<float> numbers = s.tensors[0].values<float>();
    numbers[5] = std::nanf("");
    s.tensors[0].data = std::as_bytes(std::span(numbers));
    EXPECT_NE(s.error().find("'encoder.embedding.weight' holds nan at element 5"), std::string::npos) << s.error();
  }
  {
    Damaged s(directory);
    const std::string path = directory.file("flipped.safetensors");
    std::string bytes = read_file(s.path);
    for (const std::size_t at : {bytes.size() - 1, bytes.size() / 2, std::size_t{200}}) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ 1);
      write_file_atomically(path, flipped);
      EXPECT_NE(load_error(path), "no InputError") << at;
    }
    write_file_atomically(path, bytes.substr(0, bytes.size() - 7));
    EXPECT_NE(load_error(path), "no InputError");
    write_file_atomically(path, std::string(1000, '\0'));
    EXPECT_NE(load_error(path), "no InputError");
  }
}

TEST(Presets, EveryFileIsAPresetAndBuilds) {
  EXPECT_EQ(model::presets().size(), 11u);
  for (const model::Preset& preset : model::presets()) {
    const model::ModelConfig c = model::preset_config(preset.name);
    EXPECT_EQ(c.system, preset.name);
    EXPECT_NO_THROW(model::Model{small_config(preset.name)}) << preset.name;
  }
  EXPECT_THROW(model::find_preset("luong-dott"), UsageError);
}

TEST(Presets, ReadsOnlyTheModelSections) {
  const model::ModelConfig c =
      model::model_config_from_toml("[encoder]\nhidden = 7\n[serve]\nport = 1\n[names]\nencoder = \"x\"", "t");
  EXPECT_EQ(c.encoder.hidden, 7);
  EXPECT_THROW(model::model_config_from_toml("[encoder]\nhiden = 7", "t"), UsageError);
  EXPECT_THROW(model::model_config_from_toml("initialization = \"glorott\"", "t"), UsageError);
}

}  // namespace
}  // namespace heed::testing
