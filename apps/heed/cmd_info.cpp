// heed info: what a model file contains.

#include "base/json.h"
#include "base/numbers.h"
#include "base/shared_options.h"
#include "base/utf8.h"
#include "command.h"
#include "inspect/describe.h"
#include "inspect/model_summary.h"
#include "model/model_file.h"
#include "model/model_path.h"

namespace heed::cli {
namespace info_command {

struct Values {
  std::string model;
  bool json = false, config = false;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.model, "a model file or run directory").reads(model::model_files);
  o.flag("config", v.config, "print the full configuration as TOML");
  declare_json(o, v.json);
}

// The size of a vocabulary, and whether the file has its words.
std::string vocabulary_line(const model::ModelFile& file, std::string_view key, int size) {
  return fmt::format("vocabulary of {}{}", counted(size, "entry", "entries"),
                     file.find_metadata(key) == nullptr ? ", words not in the file" : "");
}

// Metadata for display: the validation score without meaningless digits.
std::string shown_value(const std::string& key, const std::string& value) {
  if (key != "heed.provenance") return value;
  try {
    Json json = parse_json(value, key);
    if (const Json::json_pointer at("/validation/value"); json.is_object() && json.contains(at) && json[at].is_number())
      json[at] = std::stod(fmt::format("{:.6g}", json[at].get<double>()));
    return dump_json(json);
  } catch (const Error&) {
    return value;  // it is damaged
  }
}

int run(Values& v, Options& /*options*/) {
  const model::ModelFile file = model::load_model(v.model);
  const model::Model& model = *file.model;
  constexpr std::size_t kLongest = 200;  // what is longer, such as a vocabulary, is not shown
  model::ModelConfig c = model.config();
  c.system = printable(c.system, kLongest);
  if (v.config) {
    write_output(config_to_toml(c));
    return 0;
  }
  const Safetensors stored(model::model_path(v.model));
  const std::string checksum = *stored.find_metadata(kChecksumKey);
  const inspect::ModelSummary summary = inspect::summarize(file, v.model);
  if (v.json) {
    Json tensors = Json::array(), metadata = Json::object();
    for (std::size_t i = 0; i < model.parameters().size(); ++i)
      tensors.push_back({{"name", model.parameters()[i].name}, {"shape", model.parameters()[i].shape}});
    for (const auto& [key, value] : file.metadata)
      if (key.size() <= kLongest && value.size() <= kLongest) metadata[key] = value;
    Json json = {{"system", c.system},
                 {"format", model::kModelFormat},
                 {"parameters", model.parameters().count()},
                 {"source_vocabulary", c.vocabulary.source},
                 {"target_vocabulary", c.vocabulary.target},
                 {"checksum", checksum},
                 {"bytes", stored.size()}};
    json.update(summary.facts);
    json["metadata"] = metadata;
    json["tensors"] = tensors;
    print_json(json);
    return 0;
  }
  write_output("{}: a heed model, format {}, checksum {} (verified)\n", v.model, model::kModelFormat, checksum);
  for (const auto& [heading, sentence] : summary.lines) write_output("  {:<13} {}\n", heading, sentence);
  write_output("  size          {} parameters, {:.2f} MB\n\n", grouped(model.parameters().count()),
               static_cast<double>(stored.size()) / 1e6);
  write_output("  preset      {}\n", c.system);
  write_output("  encoder     {}\n", inspect::describe(c.encoder));
  write_output("  decoder     {}\n", inspect::describe(c.decoder));
  write_output("  attention   {}\n", inspect::describe_attention(c));
  write_output("  readout     {}{}{}\n", fmt::join(enum_list(c.readout.parts), ", "),
               c.readout.tanh ? fmt::format(" through a tanh layer of {}", c.readout_size()) : "",
               c.tied == model::Tying::none ? "" : fmt::format("; embeddings tied: {}", enum_name(c.tied)));
  write_output("  source      {}\n", vocabulary_line(file, model::kSourceVocabularyKey, c.vocabulary.source));
  write_output("  target      {}\n", vocabulary_line(file, model::kTargetVocabularyKey, c.vocabulary.target));
  for (const auto& [key, value] : file.metadata)
    if (value.size() <= kLongest && value.find('\n') == std::string::npos)
      write_output("  {:<11} {}\n", printable(key, kLongest), shown_value(key, value));
  write_output("  parameters  {} in {} tensors:\n", grouped(model.parameters().count()), model.parameters().size());
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    const autograd::Parameter& p = model.parameters()[i];
    write_output("    {:<38} [{}]\n", p.name, fmt::join(p.shape, ", "));
  }
  return 0;
}

}  // namespace info_command

const Command kInfo{.name = "info",
                    .group = "Models",
                    .summary = "show what a model file contains",
                    .example = "heed info run/model.safetensors",
                    .make = action<info_command::Values, info_command::declare, info_command::run>};

}  // namespace heed::cli
