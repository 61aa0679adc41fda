#include "train/parent_model.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/utf8.h"
#include "model/int8_model.h"
#include "model/model_path.h"

namespace heed::train {
namespace {

// The settings that a fine-tuned model shares with its parent.
struct Inherited {
  model::ModelConfig model;
  text::TextConfig text;

  Inherited(const model::ModelConfig& m, const text::TextConfig& t) : model(m), text(t) {
    model.dropout = {};
    model.vocabulary = {};  // depends on the text
    text.subword_sampling = 0;
  }
};

// Copies a parameter; if `to` has more rows, they become the mean of the copied ones.
void copy_rows(std::span<float> to, std::span<const float> from, std::size_t width) {
  std::ranges::copy(from, to.begin());
  if (to.size() == from.size()) return;
  const std::size_t rows = from.size() / width;
  for (std::size_t column = 0; column < width; ++column) {
    double sum = 0;
    for (std::size_t row = 0; row < rows; ++row) sum += static_cast<double>(from[row * width + column]);
    const auto mean = static_cast<float>(sum / static_cast<double>(rows));
    for (std::size_t i = from.size() + column; i < to.size(); i += width) to[i] = mean;
  }
}

}  // namespace

ParentModel::ParentModel(const std::string& path)
    : path_(model::model_path(path)),
      file_(model::load_f32_model(path_)),
      pipeline_(translate::read_pipeline(file_, path_)),
      checksum_(*Safetensors(path_).find_metadata(kChecksumKey)),
      frequencies_(translate::read_frequencies(file_, path_)) {}

void ParentModel::apply_defaults(Options& options, const RunConfig& config) const {
  const std::string shared = fmt::format("data.shared_vocabulary = {}\n", shares_vocabulary());
  options.apply_preset(config_to_toml(file_.model->config()), path_);
  options.apply_preset(text_config_to_toml(pipeline_.config()), path_);
  if (config.training.schedule.kind != ScheduleKind::inverse_sqrt)  // whose rate depends on the warm-up
    options.apply_preset("training.schedule_warmup = 0\n", path_);
  if (!pipeline_.config().has_subwords()) options.apply_preset(shared, path_);
}

void ParentModel::check_settings(const RunConfig& config) const {
  Inherited own(config.model, config.text), parent(file_.model->config(), pipeline_.config());
  if (parent.text.source_language.empty()) own.text.source_language.clear();
  if (parent.text.target_language.empty()) own.text.target_language.clear();
  Options own_options, parent_options;
  for (auto [options, settings] : {std::pair{&own_options, &own}, std::pair{&parent_options, &parent}}) {
    declare(*options, settings->model);
    declare(*options, settings->text);
  }
  const auto refuse = [&](const std::string& key, const std::string& value, const std::string& there) {
    throw UsageError(
        "{} is {}, but it is {} in the model '{}', and a model keeps its architecture and text settings when it is "
        "fine-tuned; leave {} out, or train a new model without --from",
        key, value, there, path_, key);
  };
  if (const auto difference = own_options.first_difference(parent_options))
    refuse(difference->key, difference->value, difference->other);
  if (!pipeline_.config().has_subwords() && config.data.shared_vocabulary != shares_vocabulary())
    refuse("data.shared_vocabulary", fmt::format("{}", config.data.shared_vocabulary),
           fmt::format("{}", shares_vocabulary()));
}

data::Languages ParentModel::languages() const {
  const auto [source, target] = file_.recorded_languages();
  if (source.empty() || target.empty()) return {};
  return {.source = source, .target = target, .why = "as the model of --from does"};
}

void ParentModel::copy_parameters(const model::Model& to) const {
  const autograd::Parameters &old = file_.model->parameters(), &now = to.parameters();
  check<InternalError>(old.size() == now.size(), "{} parameters for a model of {}", old.size(), now.size());
  for (std::size_t i = 0; i < old.size(); ++i) {
    const bool longer =
        now[i].shape[0] >= old[i].shape[0] &&
        std::ranges::equal(now[i].shape.begin() + 1, now[i].shape.end(), old[i].shape.begin() + 1, old[i].shape.end());
    check<InternalError>(longer && now[i].name == old[i].name, "{} cannot become {}", old[i].name, now[i].name);
    const std::size_t width = old[i].shape.size() == 1 ? 1 : static_cast<std::size_t>(old[i].shape[1]);
    copy_rows(now[i].value.span<float>(), old[i].value.span<float>(), width);
  }
  file_.check_unchanged();
}

}  // namespace heed::train
