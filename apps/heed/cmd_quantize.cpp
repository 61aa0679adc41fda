// heed quantize: a model with 8-bit weights, a quarter of the size and faster.
#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "command.h"
#include "model/int8_model.h"
#include "model/model_path.h"
#include "translate/translator.h"

namespace heed::cli {
namespace quantize_command {

struct Values {
  std::string model, out, calibrate;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.model, "a model file or run directory").reads(model::model_files);
  o.flag("out", v.out, "the model file to write").required().value("FILE").writes();
  o.flag("calibrate", v.calibrate,
         "text in the source language, one sentence per line, to measure the ranges of the model's activations on; "
         "without it, the ranges that training recorded are used")
      .value("FILE")
      .reads();
}

constexpr std::size_t kMostLines = 500;

// At most kMostLines lines, evenly spaced.
std::vector<std::string> sample_of(const std::string& path) {
  std::vector<std::string> lines;
  LineReader reader(path);
  for (std::string line; reader.next(line);)
    if (!line.empty()) lines.push_back(line);
  check<InputError>(!lines.empty(), "'{}' is empty: there is nothing to measure", path);
  const std::size_t count = std::min(lines.size(), kMostLines);
  std::vector<std::string> sample;
  for (std::size_t i = 0; i < count; ++i) sample.push_back(lines[i * lines.size() / count]);
  return sample;
}

// The ranges while the model translates a sample of the text. One thread, because ranges are recorded per thread.
model::InputRanges measured_ranges(const Values& v) {
  const std::vector<std::string> lines = sample_of(v.calibrate);
  translate::Translator translator(v.model);
  const model::RangeRecorder recorder(translator.model());
  translator.translate(lines, {.search = {.beam = 1, .attention = false}, .threads = 1});
  return recorder.ranges();
}

int run(Values& v, Options& /*options*/) {
  const std::string path = model::model_path(v.model);
  const model::ModelFile file = model::load_model(path);
  check<UsageError>(!is_int8(*file.model), "'{}' is an int8 model already; quantize the f32 model that it comes from",
                    path);
  const std::string* recorded = file.find_metadata(model::InputRanges::kMetadataKey);
  if (recorded == nullptr) translate::read_pipeline(file, path);  // measuring needs its vocabularies
  check<UsageError>(
      recorded != nullptr || !v.calibrate.empty(),
      "'{}' does not record the ranges of its activations, which int8 needs: measure them on a few hundred sentences "
      "in its source language, with --calibrate FILE",
      path);
  const model::InputRanges ranges =
      v.calibrate.empty() ? model::InputRanges::from_json(*recorded, *file.model,
                                                          fmt::format("{}: {}", path, model::InputRanges::kMetadataKey))
                          : measured_ranges(v);
  Metadata metadata = file.metadata;
  std::erase_if(metadata, [](const auto& entry) { return entry.first == model::InputRanges::kMetadataKey; });
  const auto megabytes = [](const std::string& of) {
    return static_cast<double>(std::filesystem::file_size(of)) / 1e6;
  };
  const double before = megabytes(path);
  save_int8_model(v.out, *file.model, ranges, metadata);
  file.check_unchanged();
  say("heed: wrote {}: int8, {:.1f} MB instead of {:.1f} MB\n", v.out, megabytes(v.out), before);
  return 0;
}

}  // namespace quantize_command

const Command kQuantize{
    .name = "quantize",
    .group = "Models",
    .summary = "write a model with 8-bit weights: a quarter of the size, and faster",
    .example = "heed quantize run/model.safetensors --out small.safetensors --calibrate pocket.train.en",
    .make = action<quantize_command::Values, quantize_command::declare, quantize_command::run>};

}  // namespace heed::cli
