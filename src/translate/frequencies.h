// How often each entry of a model's vocabularies occurred in its training text, by id; special symbols count too. In a
// model file:
//   heed.frequencies.source, .target  one number per line, in the order of heed.vocabulary.*
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/model_file.h"

namespace heed::translate {

struct Frequencies {
  std::vector<std::int64_t> source, target;

  Metadata metadata() const;
  bool operator==(const Frequencies&) const = default;
};

// Empty if the file has none (files of heed 0.1 do not). InputError if they are damaged; `path` is used in messages.
std::optional<Frequencies> read_frequencies(const model::ModelFile& file, const std::string& path);

}  // namespace heed::translate
