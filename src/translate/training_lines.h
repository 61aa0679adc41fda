// What the lines of a model's training text looked like, so that a line of that kind is translated as it is. In a model
// file, as JSON under heed.lines:
//   several     the share of source lines with more than one sentence
//   characters  the length that 99% of the source lines do not exceed
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_file.h"
#include "text/sentences.h"

namespace heed::translate {

struct TrainingLines {
  double several = 0;
  std::int64_t characters = 0;

  // Whether the model learned from lines of several sentences that were as long as this one.
  bool includes(std::string_view line) const;
  Metadata metadata() const;
};

// Empty if the file has none, as files of heed 0.1. InputError if they are damaged; `path` is for messages.
std::optional<TrainingLines> read_training_lines(const model::ModelFile& file, const std::string& path);

// Counts source lines, in their order: each of the first ones and then a part.
class LineCounter {
 public:
  // The splitter of this language finds the sentences.
  explicit LineCounter(std::string_view language) : splitter_(language) {}
  void add(std::string_view line);
  TrainingLines result() const;

 private:
  text::SentenceSplitter splitter_;
  std::int64_t lines_ = 0;
  std::int64_t several_ = 0;
  std::vector<std::uint32_t> lengths_;  // of the lines that count
};

}  // namespace heed::translate
