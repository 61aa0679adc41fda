// heed import: makes a heed model from the PyTorch state dict of a tutorial's model.
#include <fmt/ranges.h>

#include <algorithm>

#include "base/files.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "command.h"
#include "model/model_file.h"
#include "model/presets.h"
#include "text/text_config.h"
#include "text/vocabulary.h"

namespace heed::cli {
namespace import_command {

struct Values {
  std::string preset, weights, source_vocabulary, target_vocabulary, out;
  int sos = 0, eos = 1, unk = 2;
  text::TextConfig text;
};

void declare(Options& o, Values& v) {
  o.flag("preset", v.preset, "the preset that the weights belong to").required().value("NAME");
  o.flag("weights", v.weights, "the state dict as safetensors, in F32, F16 or BF16").required().value("FILE").reads();
  o.flag("source-vocabulary", v.source_vocabulary, "the source words in the order of their ids, one per line")
      .value("FILE")
      .reads();
  o.flag("target-vocabulary", v.target_vocabulary, "the target words in the order of their ids, one per line")
      .value("FILE")
      .reads();
  o.flag("sos", v.sos, "id of the start symbol", at_least(0));
  o.flag("eos", v.eos, "id of the end-of-sentence symbol", at_least(0));
  o.flag("unk", v.unk, "id of the symbol for unknown words", at_least(0));
  o.flag("out", v.out, "the model file to write").required().value("MODEL").writes();
  declare(o, v.text);
}

// How the model reads and writes text: as the preset says, unless the command line says otherwise.
void apply_preset(const Values& v, Options& options) {
  for (const TomlEntry& entry : parse_toml(model::find_preset(v.preset).toml, "preset " + v.preset))
    if (options.has_key(entry.key)) options.apply_entry(entry, "preset " + v.preset);
}

// The text settings of a model with vocabularies.
void add_text(Metadata& metadata, const Values& v) {
  if (v.source_vocabulary.empty() && v.target_vocabulary.empty()) return;
  check<UsageError>(!v.text.has_subwords(),
                    "the text settings are data.tokenizer={}, but weights do not contain the subword model; add "
                    "--tokenizer whitespace and give the model text that is already split into subwords",
                    v.text.tokenizer);
  std::vector<std::string> settings = {fmt::format("data.tokenizer={}", v.text.tokenizer),
                                       fmt::format("data.normalize=[{}]", fmt::join(v.text.normalize, ","))};
  for (const auto& [key, language] :
       {std::pair("source", v.text.source_language), std::pair("target", v.text.target_language)})
    if (!language.empty()) settings.push_back(fmt::format("data.{}_language={}", key, language));
  print_note("text settings: {} (change them with --set)", fmt::join(settings, ", "));
  metadata.emplace_back(text::kTextKey, text_config_to_toml(v.text));
}

// Adds the words of the file, which must have one line per row of the embedding.
void add_vocabulary(Metadata& metadata, const char* key, const char* flag, const std::string& path, int size) {
  if (path.empty()) return;
  LineReader reader(path);
  std::string line, contents;
  while (reader.next(line)) contents += line + "\n";
  const auto words = text::Vocabulary::parse(contents, {}, path);
  check<InputError>(words.size() == size, "{} {} has {}, but the embedding in the weights has {} rows", flag, path,
                    counted(words.size(), "word"), size);
  metadata.emplace_back(key, std::move(contents));
}

void set_ids(const Values& v, model::VocabularyConfig& vocabulary) {
  const int words = std::min(vocabulary.source, vocabulary.target);
  for (const auto& [flag, id] : {std::pair("--sos", v.sos), std::pair("--eos", v.eos), std::pair("--unk", v.unk)})
    check<UsageError>(id < words, "{} is {}, but the smaller embedding in the weights has {} rows", flag, id, words);
  vocabulary.sos = v.sos;
  vocabulary.eos = v.eos;
  vocabulary.unk = v.unk;
}

int run(Values& v, Options& options) {
  model::ModelConfig config = model::preset_config(v.preset);
  apply_preset(v, options);
  const Safetensors file(v.weights,
                         {.expected = "--weights takes a state dict saved with safetensors.torch.save_file"});
  const model::TensorNames names = model::tutorial_names(v.preset);
  const auto misfit = [&](const InputError& error) {
    return InputError("{}; is the file for another preset than {}? (docs/systems.md lists the tensors of each)",
                      error.what(), v.preset);
  };
  try {
    infer_sizes(file, names, config);
  } catch (const InputError& error) {
    throw misfit(error);
  }
  set_ids(v, config.vocabulary);
  const model::Model model = [&] {
    try {
      return model::Model(config, DType::f32, copied_from(file, "", names));
    } catch (const InputError& error) {
      throw misfit(error);
    } catch (const UsageError& error) {
      throw InputError("{} does not fit the preset {}: {}", v.weights, v.preset, error.what());
    }
  }();
  Metadata metadata;
  add_vocabulary(metadata, model::kSourceVocabularyKey, "--source-vocabulary", v.source_vocabulary,
                 config.vocabulary.source);
  add_vocabulary(metadata, model::kTargetVocabularyKey, "--target-vocabulary", v.target_vocabulary,
                 config.vocabulary.target);
  add_text(metadata, v);
  save_model(v.out, model, metadata);
  if (v.source_vocabulary.empty() || v.target_vocabulary.empty())
    print_note("without --source-vocabulary and --target-vocabulary the model cannot translate text");
  for (const std::string& name : names.unused)
    if (file.find(name) != nullptr) print_note("{} is in the file, but {} does not use it; skipped", name, v.preset);
  say("heed: wrote {} parameters of {} to {}\n", grouped(model.parameters().count()), v.preset, v.out);
  return 0;
}

}  // namespace import_command

const Command kImport{.name = "import",
                      .group = "Models",
                      .summary = "make a model from a PyTorch state dict",
                      .example = "heed import --preset heed --weights weights.safetensors --out model.safetensors",
                      .make = action<import_command::Values, import_command::declare, import_command::run>};

}  // namespace heed::cli
