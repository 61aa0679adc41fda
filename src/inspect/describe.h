// One-line descriptions of a model's parts: "bidirectional gru encoder, 1 layer of 320 per direction, embedding 256".
#pragma once

#include <string>

#include "model/config.h"

namespace heed::inspect {

std::string describe(const model::EncoderConfig& config);
std::string describe(const model::DecoderConfig& config);
// "additive, before the cell"
std::string describe_attention(const model::ModelConfig& config);

}  // namespace heed::inspect
