#include "inspect/describe.h"

#include <fmt/format.h>

#include "model/attention.h"

namespace heed::inspect {

std::string describe(const model::EncoderConfig& c) {
  return fmt::format("{}{} encoder, {} layer{} of {}{}, embedding {}", c.bidirectional ? "bidirectional " : "",
                     enum_name(c.cell), c.layers, c.layers == 1 ? "" : "s", c.hidden,
                     c.bidirectional ? " per direction" : "", c.embedding_size());
}

std::string describe(const model::DecoderConfig& c) {
  return fmt::format("{} decoder, {} layer{} of {}, embedding {}, first state: {}", enum_name(c.cell), c.layers,
                     c.layers == 1 ? "" : "s", c.hidden, c.embedding_size(), enum_name(c.bridge));
}

std::string describe_attention(const model::ModelConfig& c) {
  const model::ScoreKind& score = score_kind(c.attention.score);
  if (score.weights) return fmt::format("{}, {} the cell", score.name, enum_name(c.attention.position));
  return score.remark.empty() ? "none" : fmt::format("none; {}", score.remark);
}

}  // namespace heed::inspect
