// heed import: makes a heed model from the PyTorch state dict of a tutorial's system.

#include "base/files.h"
#include "base/terminal.h"
#include "command.h"
#include "model/model_file.h"
#include "model/presets.h"

namespace heed::cli {
namespace import_command {

struct Values {
  std::string preset, weights, source_vocabulary, target_vocabulary, out;
  int sos = 0, eos = 1, unk = 2;
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
}

// Adds the words of the file, which must have one line per row of the embedding.
void add_vocabulary(Metadata& metadata, const char* key, const char* flag, const std::string& path, int size) {
  if (path.empty()) return;
  LineReader reader(path);
  std::string line, text;
  int count = 0;
  while (reader.next(line)) {
    check<InputError>(!line.empty(), "{}:{}: an empty line; a vocabulary has one word per line", path, count + 1);
    text += line + "\n";
    ++count;
  }
  check<InputError>(count == size, "{} {} has {} words, but the embedding in the weights has {} rows", flag, path,
                    count, size);
  metadata.emplace_back(key, std::move(text));
}

int run(Values& v, Options& /*options*/) {
  model::ModelConfig config = model::preset_config(v.preset);
  const Safetensors file(v.weights);
  const model::TensorNames names = model::tutorial_names(v.preset);
  infer_sizes(file, names, config);
  config.vocabulary.sos = v.sos;
  config.vocabulary.eos = v.eos;
  config.vocabulary.unk = v.unk;
  const model::Model model(config, DType::f32, copied_from(file, "", names));
  Metadata metadata;
  add_vocabulary(metadata, model::kSourceVocabularyKey, "--source-vocabulary", v.source_vocabulary,
                 config.vocabulary.source);
  add_vocabulary(metadata, model::kTargetVocabularyKey, "--target-vocabulary", v.target_vocabulary,
                 config.vocabulary.target);
  save_model(v.out, model, metadata);
  for (const std::string& name : names.unused)
    if (file.find(name) != nullptr) print_note("{} is in the file, but {} does not use it; skipped", name, v.preset);
  say("heed: wrote {} parameters of {} to {}\n", model.parameters().count(), v.preset, v.out);
  return 0;
}

}  // namespace import_command

const Command kImport{.name = "import",
                      .group = "Models",
                      .summary = "make a model from a PyTorch state dict",
                      .example = "heed import --preset heed --weights weights.safetensors --out model.safetensors",
                      .make = action<import_command::Values, import_command::declare, import_command::run>};

}  // namespace heed::cli
