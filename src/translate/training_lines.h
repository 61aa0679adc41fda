// What the lines of a model's training text looked like: a similar line need not be split into sentences. In a model
// file, as JSON under heed.lines:
//   several     the fraction of source lines with more than one sentence
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

  // Whether the model learned from lines of several sentences, and of the length of this one.
  bool includes(std::string_view line) const;
  Metadata metadata() const;
};

// Empty if the file does not say (files of heed 0.1 do not). InputError if it is damaged; `path` is used in messages.
std::optional<TrainingLines> read_training_lines(const model::ModelFile& file, const std::string& path);

// Computes the TrainingLines of source lines, from all of the first 10,000 and then from every 16th.
class LineCounter {
 public:
  // `language`: of the lines, for splitting them into sentences.
  explicit LineCounter(std::string_view language) : splitter_(language) {}
  void add(std::string_view line);
  TrainingLines result() const;

 private:
  text::SentenceSplitter splitter_;
  std::int64_t lines_ = 0;
  std::int64_t several_ = 0;
  std::vector<std::uint32_t> lengths_;  // of the lines that were counted
};

}  // namespace heed::translate
