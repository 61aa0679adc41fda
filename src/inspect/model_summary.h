// What a model expects, what it produces and how it was trained, in plain words and as JSON: `heed info`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/model_file.h"

namespace heed::inspect {

struct ModelSummary {
  // Headings and sentences, in the order in which to show them. They may contain unprintable characters of the path.
  std::vector<std::pair<std::string, std::string>> lines;
  // The same facts: languages, case, input, tokenizer, subwords, normalize (these only if the file has usable text
  // settings), architecture, training, from. What the file does not record is null.
  Json facts;
};

// Also describes a file whose text settings or training history are missing or damaged, and says so. `path` is used in
// the example command.
ModelSummary summarize(const model::ModelFile& file, const std::string& path);

}  // namespace heed::inspect
