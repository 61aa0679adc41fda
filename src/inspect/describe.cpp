#include "inspect/describe.h"

#include <fmt/format.h>

#include <iterator>

namespace heed {

std::string grouped(Index number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t i = std::ssize(digits) - 3; i > 0; i -= 3) digits.insert(static_cast<std::size_t>(i), 1, ',');
  return digits;
}

std::string describe(const EncoderConfig& c) {
  return fmt::format("{}{} {}, {} layer{} of {}{}, embedding {}", c.bidirectional ? "bidirectional " : "", c.cell,
                     "encoder", c.layers, c.layers == 1 ? "" : "s", c.hidden, c.bidirectional ? " a direction" : "",
                     c.embedding_size());
}

std::string describe(const DecoderConfig& c) {
  return fmt::format("{} decoder, {} layer{} of {}, embedding {}, first state: {}", c.cell, c.layers,
                     c.layers == 1 ? "" : "s", c.hidden, c.embedding_size(), c.bridge);
}

std::string describe_attention(const ModelConfig& c) {
  if (c.attention.score == "none") return "none";
  if (c.attention.score == "constant") return "none; the encoder's last state at every step";
  return fmt::format("{}, {} the cell", c.attention.score, c.attention.place);
}

std::string score_equation(const std::string& score) {
  constexpr std::pair<std::string_view, std::string_view> kEquations[] = {
      {"linear", "W [h; e] + b"},
      {"additive", "v · tanh(Wq h + Wk e)"},
      {"concat", "v · tanh(W [h; e])"},
      {"shared-concat", "v · tanh(W (h + e))"},
      {"dot", "e · h"},
      {"scaled-dot", "e · h / √size"},
      {"general", "e · W h"},
      {"location", "W [last word; h] + b, one a position"},
  };
  for (const auto& [name, equation] : kEquations)
    if (name == score) return std::string(equation);
  return "";
}

}  // namespace heed
