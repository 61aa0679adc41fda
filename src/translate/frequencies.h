// How often each entry of a model's vocabularies occurred in its training text, by id; special symbols count too. In a
// model file:
//   heed.frequencies.source, .target  one number per line, as the words of heed.vocabulary.*
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

// Empty if the file has none, as files of heed 0.1. InputError if they are damaged; `path` is for messages.
std::optional<Frequencies> read_frequencies(const model::ModelFile& file, const std::string& path);

}  // namespace heed::translate
