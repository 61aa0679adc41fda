#include "train/input_ranges.h"

#include <algorithm>

namespace heed::train {

model::InputRanges sample_input_ranges(const model::Model& model, const data::ExampleStore& examples) {
  constexpr std::size_t kPairs = 64, kBatch = 16;
  const model::RangeRecorder recorder(model);
  autograd::Tape tape(model.parameters(), nullptr);
  const std::size_t count = std::min(examples.size(), kPairs);
  for (std::size_t from = 0; from < count; from += kBatch) {
    std::vector<Ids> sources, targets;
    for (std::size_t i = from; i < std::min(count, from + kBatch); ++i) {
      sources.push_back(examples.source(i * examples.size() / count));
      targets.push_back(examples.target(i * examples.size() / count));
    }
    tape.clear(autograd::Tape::Mode::forward_only);
    model.loss(tape, {sources, targets}, {});
  }
  return recorder.ranges();
}

}  // namespace heed::train
