// A model's parts in words.
#pragma once

#include <string>

#include "model/config.h"

namespace heed {

// 1234567 as "1,234,567".
std::string grouped(Index number);

std::string describe(const EncoderConfig& config);
std::string describe(const DecoderConfig& config);
// "additive, before the cell"
std::string describe_attention(const ModelConfig& config);
// The score as an equation of h, the decoder's state, and e, an encoder state; empty where there is no score.
std::string score_equation(const std::string& score);

}  // namespace heed
