#include "inspect/describe.h"

#include <fmt/format.h>

#include "base/numbers.h"
#include "model/attention.h"

namespace heed::inspect {

std::string describe(const model::EncoderConfig& c) {
  return fmt::format("{}{} encoder, {} of {}{}, embedding {}", c.bidirectional ? "bidirectional " : "",
                     enum_name(c.cell), counted(c.layers, "layer"), c.hidden, c.bidirectional ? " per direction" : "",
                     c.embedding_size());
}

std::string describe(const model::DecoderConfig& c) {
  return fmt::format("{} decoder, {} of {}, embedding {}, initial state: {}", enum_name(c.cell),
                     counted(c.layers, "layer"), c.hidden, c.embedding_size(), enum_name(c.bridge));
}

std::string describe_attention(const model::ModelConfig& c) {
  const model::ScoreKind& score = score_kind(c.attention.score);
  if (score.weights) return fmt::format("{}, {} the cell", score.name, enum_name(c.attention.position));
  return score.remark.empty() ? "none" : fmt::format("none; {}", score.remark);
}

}  // namespace heed::inspect
