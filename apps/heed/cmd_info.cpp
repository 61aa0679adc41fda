// heed info: what a model file contains.

#include "base/json.h"
#include "base/numbers.h"
#include "base/shared_options.h"
#include "base/utf8.h"
#include "command.h"
#include "inspect/describe.h"
#include "inspect/model_summary.h"
#include "model/int8_model.h"
#include "model/model_path.h"
#include "translate/training_lines.h"

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

// The form of the training text's lines in words; empty if the file does not say, or is damaged.
std::string describe_lines(const model::ModelFile& file, const std::string& path) {
  try {
    const auto lines = translate::read_training_lines(file, path);
    if (!lines) return "";
    return fmt::format("{:.1f}% of the training lines have several sentences; 99% have at most {}",
                       100 * lines->several, counted(lines->characters, "character"));
  } catch (const Error&) {
    return "";
  }
}

// Whether other lines say what is under this key.
bool is_described(std::string_view key) {
  return key == "heed.provenance" || key == "heed.lines" || key == model::kLanguagesKey ||
         key == model::InputRanges::kMetadataKey;
}

Json shortlist_json(const model::Shortlist* shortlist) {
  if (shortlist == nullptr) return {};
  return {{"bytes", shortlist->bytes()},
          {"candidates_per_word", shortlist->mean_candidates()},
          {"always", shortlist->always().size()}};
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
  const bool int8 = is_int8(model);
  const int format = int8 ? model::kInt8Format : model::kModelFormat;
  if (v.json) {
    Json tensors = Json::array(), metadata = Json::object();
    for (std::size_t i = 0; i < model.parameters().size(); ++i)
      tensors.push_back({{"name", model.parameters()[i].name},
                         {"shape", model.parameters()[i].shape},
                         {"type", name_of(model.parameters()[i].value.type())}});
    for (const auto& [key, value] : file.metadata)
      if (key.size() <= kLongest && value.size() <= kLongest) metadata[key] = value;
    Json json = {{"system", c.system},
                 {"format", format},
                 {"precision", int8 ? "int8" : "f32"},
                 {"parameters", model.parameters().count()},
                 {"source_vocabulary", c.vocabulary.source},
                 {"target_vocabulary", c.vocabulary.target},
                 {"checksum", checksum},
                 {"bytes", stored.size()}};
    json.update(summary.facts);
    json["shortlist"] = shortlist_json(model.shortlist());
    json["metadata"] = metadata;
    json["tensors"] = tensors;
    print_json(json);
    return 0;
  }
  write_output("{}: a heed model, format {}, checksum {} (verified)\n", v.model, format, checksum);
  for (const auto& [heading, sentence] : summary.lines) write_output("  {:<13} {}\n", heading, sentence);
  write_output("  size          {} parameters{}, {:.2f} MB\n\n", grouped(model.parameters().count()),
               int8 ? " in int8" : "", static_cast<double>(stored.size()) / 1e6);
  write_output("  preset      {}\n", c.system);
  write_output("  encoder     {}\n", inspect::describe(c.encoder));
  write_output("  decoder     {}\n", inspect::describe(c.decoder));
  write_output("  attention   {}\n", inspect::describe_attention(c));
  write_output("  readout     {}{}{}\n", fmt::join(enum_list(c.readout.parts), ", "),
               c.readout.tanh ? fmt::format(" through a tanh layer of {}", c.readout_size()) : "",
               c.tied == model::Tying::none ? "" : fmt::format("; embeddings tied: {}", enum_name(c.tied)));
  write_output("  source      {}\n", vocabulary_line(file, model::kSourceVocabularyKey, c.vocabulary.source));
  write_output("  target      {}\n", vocabulary_line(file, model::kTargetVocabularyKey, c.vocabulary.target));
  if (const std::string lines = describe_lines(file, v.model); !lines.empty())
    write_output("  lines       {}\n", lines);
  for (const auto& [key, value] : file.metadata)
    if (value.size() <= kLongest && value.find('\n') == std::string::npos && !is_described(key))
      write_output("  {:<11} {}\n", printable(key, kLongest), value);
  if (const model::Shortlist* shortlist = model.shortlist())
    write_output("  shortlist   {:.1f} candidates per source word, {} for every sentence, {:.2f} MB\n",
                 shortlist->mean_candidates(), shortlist->always().size(),
                 static_cast<double>(shortlist->bytes()) / 1e6);
  write_output("  parameters  {} in {} tensors:\n", grouped(model.parameters().count()), model.parameters().size());
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    const autograd::Parameter& p = model.parameters()[i];
    write_output("    {:<38} [{}]{}\n", p.name, fmt::join(p.shape, ", "), p.value.type() == DType::int8 ? " int8" : "");
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
