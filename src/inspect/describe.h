// Descriptions of a model's parts.
#pragma once

#include <string>

#include "model/config.h"

namespace heed::inspect {

std::string describe(const model::EncoderConfig& config);
std::string describe(const model::DecoderConfig& config);
// "additive, before the cell"
std::string describe_attention(const model::ModelConfig& config);

}  // namespace heed::inspect
