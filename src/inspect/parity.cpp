#include "inspect/parity.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/safetensors.h"
#include "kernels/softmax.h"
#include "model/model_file.h"
#include "model/presets.h"
#include "search/search.h"

namespace heed::inspect {
namespace {

constexpr double kProbabilityTolerance = 2e-5, kLossTolerance = 1e-5, kGradientTolerance = 1e-4;
constexpr std::string_view kWhere = "the golden files are in tests/model/golden";

int metadata_number(const Safetensors& file, const char* key) {
  const std::string* text = file.find_metadata(key);
  check<InputError>(text != nullptr, "'{}' is not a golden file (its metadata has no {}); {}", file.name(), key,
                    kWhere);
  int value = 0;
  check<InputError>(parse_number(*text, value) == std::errc() && value >= 0,
                    "{}: {} is '{}' in the metadata, expected a number", file.name(), key, *text);
  return value;
}

std::vector<Id> ids_of(const Safetensors& file, const std::string& name) {
  const StoredTensor& tensor = file.tensor(name);
  std::vector<Id> ids;
  for (const std::int64_t id : tensor.values<std::int64_t>()) {
    check<InputError>(id >= 0 && id <= INT32_MAX, "{}: {} contains the id {}, expected 0 or more", file.name(), name,
                      id);
    ids.push_back(static_cast<Id>(id));
  }
  return ids;
}

// A golden matrix, which must have this shape.
std::vector<float> matrix_of(const Safetensors& file, const std::string& name, Index rows, Index columns) {
  const StoredTensor& tensor = file.tensor(name);
  tensor.expect_shape(std::vector<Index>{rows, columns});
  return tensor.values<float>();
}

std::span<const float> row_of(std::span<const float> matrix, Index row, Index columns) {
  return matrix.subspan(static_cast<std::size_t>(row * columns), static_cast<std::size_t>(columns));
}

class Checker {
 public:
  explicit Checker(const std::string& path)
      : file_(path),
        names_(golden_names(file_)),
        model_(golden_config(file_), DType::f32, copied_from(file_, "param/", names_)),
        gradients_(model_.parameters()),
        tape_(model_.parameters(), &gradients_) {
    check<InputError>(file_.find("logprobs/0") != nullptr,
                      "'{}' has no log-probabilities (logprobs/0), so there is nothing to compare; the files "
                      "trajectory-*.safetensors, which record training updates, are for the tests only",
                      path);
    const int sentences = metadata_number(file_, "sentences");
    check<InputError>(sentences > 0, "{}: the file has no sentences", path);
    for (int i = 0; i < sentences; ++i) {
      sources_.push_back(ids_of(file_, fmt::format("src/{}", i)));
      targets_.push_back(ids_of(file_, fmt::format("trg/{}", i)));
    }
    report_.file = path;
    report_.system = model_.config().system;
    report_.sentences = sources_.size();
    report_.parameters = model_.parameters().size();
  }

  ParityReport run() {
    report_.rows.reserve(12);  // row() returns references
    Batches one_by_one, one_batch(1);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      one_by_one.push_back({i});
      one_batch[0].push_back(i);
    }
    for (const auto& [mode, batches] : {std::pair{"one by one", &one_by_one}, std::pair{"one batch", &one_batch}}) {
      check_teacher_forced(mode, *batches);
      check_greedy(mode, *batches);
    }
    return report_;
  }

 private:
  using Batches = std::vector<std::vector<std::size_t>>;

  ParityRow& row(const char* quantity, const char* mode, double tolerance) {
    report_.rows.push_back({.quantity = quantity, .mode = mode, .tolerance = tolerance});
    return report_.rows.back();
  }

  // Keeps the largest error, or NaN.
  template <class Where>
  static void add_error(ParityRow& row, double error, Where where) {
    if (error <= row.error || std::isnan(row.error)) return;
    row.error = error;
    row.where = where();
  }

  // Compares numbers; a null `actual` stands for zeros. position(i) describes element i.
  template <class Position>
  static void compare(ParityRow& row, const float* actual, std::span<const float> expected, Position position) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      add_error(row, std::abs(static_cast<double>((actual == nullptr ? 0.0f : actual[i]) - expected[i])),
                [&] { return position(i); });
  }

  static std::vector<Ids> views(const std::vector<std::vector<Id>>& sentences, const std::vector<std::size_t>& batch) {
    std::vector<Ids> result;
    for (const std::size_t i : batch) result.emplace_back(sentences[i]);
    return result;
  }

  // The columns of a sentence's attention matrix.
  Index attention_width(std::size_t i) const {
    const Index positions = model_.decoder().max_source_length();
    return positions > 0 ? positions : static_cast<Index>(sources_[i].size());
  }

  void check_teacher_forced(const char* mode, const Batches& batches) {
    ParityRow& words = row("log-probabilities", mode, kProbabilityTolerance);
    ParityRow& attention = row("attention", mode, kProbabilityTolerance);
    double loss = 0;
    gradients_.clear();
    for (const auto& batch : batches) {
      const std::vector<Ids> sources = views(sources_, batch), targets = views(targets_, batch);
      tape_.clear(autograd::Tape::Mode::forward_only);
      compare_teacher_forced(words, attention, batch, model_.loss(tape_, {sources, targets}, {}));
      tape_.clear(autograd::Tape::Mode::record);
      loss += model_.loss(tape_, {sources, targets}, {}).loss;
      tape_.backward();
    }
    const double golden = static_cast<double>(file_.tensor("loss").values<float>().at(0));
    add_error(row("loss (relative)", mode, kLossTolerance), std::abs(loss - golden) / std::abs(golden),
              [&] { return fmt::format("{} for {}", loss, golden); });
    compare_gradients(row("gradients (relative to the largest)", mode, kGradientTolerance));
  }

  void compare_teacher_forced(ParityRow& words, ParityRow& attention, const std::vector<std::size_t>& batch,
                              const model::BatchLoss& computed) {
    const Index vocabulary = model_.config().vocabulary.target;
    const Tensor scores = model_.logits(tape_, computed.readouts).value;
    kernels::log_softmax_forward(scores, scores);
    for (Index b = 0; b < computed.target.batch; ++b) {
      const std::size_t i = batch[static_cast<std::size_t>(computed.target.order[static_cast<std::size_t>(b)])];
      const Index steps = computed.target.length[static_cast<std::size_t>(b)], width = attention_width(i);
      const auto expected = matrix_of(file_, fmt::format("logprobs/{}", i), steps, vocabulary);
      const auto weights = matrix_of(file_, fmt::format("attention/{}", i), steps, width);
      for (Index t = 0; t < steps; ++t) {
        const Index packed = computed.target.row(b, t);
        const auto at = [&](const char* what) {
          return [=](std::size_t j) { return fmt::format("sentence {}, step {}, {} {}", i, t, what, j); };
        };
        compare(words, scores.row<float>(packed), row_of(expected, t, vocabulary), at("word"));
        compare(attention, computed.weights ? computed.weights.value.row<float>(packed) : nullptr,
                row_of(weights, t, width), at("position"));
      }
    }
  }

  void compare_gradients(ParityRow& row) {
    std::vector<std::vector<float>> golden;
    double largest = 0;
    for (std::size_t k = 0; k < model_.parameters().size(); ++k) {
      const autograd::Parameter& p = model_.parameters()[k];
      const StoredTensor& tensor = file_.tensor("grad/" + names_.in_file(p.name));
      tensor.expect_shape(p.shape);
      golden.push_back(tensor.values<float>());
      for (const float g : golden.back()) largest = std::max(largest, std::abs(static_cast<double>(g)));
    }
    for (std::size_t k = 0; k < golden.size(); ++k) {
      const Tensor gradient = gradients_[autograd::ParameterId{static_cast<int>(k)}];
      for (std::size_t i = 0; i < golden[k].size(); ++i)
        add_error(
            row, std::abs(static_cast<double>(gradient.data<float>()[i]) - static_cast<double>(golden[k][i])) / largest,
            [&] { return fmt::format("{}, element {}", model_.parameters()[k].name, i); });
    }
  }

  void check_greedy(const char* mode, const Batches& batches) {
    ParityRow& words = row("greedy words (sentences that differ)", mode, 0);
    ParityRow& attention = row("greedy attention", mode, kProbabilityTolerance);
    const Index max_length = metadata_number(file_, "greedy_max_length");
    search::Search search(model_);
    std::vector<search::SearchJob> jobs;
    for (const auto& batch : batches) {
      jobs.clear();
      for (const std::size_t i : batch) jobs.push_back({.source = sources_[i], .max_length = max_length});
      const auto translations = search.run(jobs, {.beam = 1});
      for (std::size_t k = 0; k < batch.size(); ++k) {
        const std::size_t i = batch[k];
        const search::Hypothesis& actual = translations[k].front();
        const std::vector<Id> expected = ids_of(file_, fmt::format("greedy/{}", i));
        if (actual.words != expected) {
          add_error(words, words.error + 1, [&] { return fmt::format("sentence {}", i); });
          continue;
        }
        const auto weights =
            matrix_of(file_, fmt::format("greedy_attention/{}", i), static_cast<Index>(expected.size()), actual.width);
        compare(attention, actual.attention.empty() ? nullptr : actual.attention.data(), weights,
                [&](std::size_t s) { return fmt::format("sentence {}, element {}", i, s); });
      }
    }
  }

  Safetensors file_;
  model::TensorNames names_;
  model::Model model_;
  autograd::Gradients gradients_;
  autograd::Tape tape_;
  std::vector<std::vector<Id>> sources_, targets_;
  ParityReport report_;
};

}  // namespace

bool ParityReport::passed() const {
  return !rows.empty() && std::ranges::all_of(rows, &ParityRow::passed);
}

model::ModelConfig golden_config(const Safetensors& file) {
  const std::string* system = file.find_metadata("system");
  check<InputError>(system != nullptr, "'{}' is not a golden file (its metadata does not name a preset); {}",
                    file.name(), kWhere);
  const auto number = [&](const char* key) { return metadata_number(file, key); };
  model::ModelConfig config = model::preset_config(*system);
  if (const std::string* text = file.find_metadata("config")) {
    config = model::model_config_from_toml(*text, file.name() + ": config");
  } else {
    config.encoder.embedding = config.decoder.embedding = number("embedding");
    const bool two = file.find_metadata("encoder_hidden") != nullptr;
    config.encoder.hidden = number(two ? "encoder_hidden" : "hidden");
    config.decoder.hidden = number(two ? "decoder_hidden" : "hidden");
    if (config.attention.score == model::Score::location) config.attention.max_length = number("max_length");
  }
  config.vocabulary = {.source = number("source_vocabulary"),
                       .target = number("target_vocabulary"),
                       .sos = number("sos"),
                       .eos = number("eos"),
                       .unk = number("unk")};
  return config;
}

model::TensorNames golden_names(const Safetensors& file) {
  const std::string *config = file.find_metadata("config"), *system = file.find_metadata("system");
  if (config != nullptr) return model::names_in_config(*config, file.name() + ": config");
  return system != nullptr ? model::tutorial_names(*system) : model::TensorNames{};
}

ParityReport check_parity(const std::string& path) {
  return Checker(path).run();
}

bool is_trajectory(const std::string& path) {
  const std::string expected = fmt::format("a golden file is a safetensors file with PyTorch's results; {}", kWhere);
  return Safetensors(path, {.expected = expected}).find("adam_losses") != nullptr;
}

}  // namespace heed::inspect
