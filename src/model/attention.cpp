#include "model/attention.h"

#include <algorithm>

#include "model/config.h"

namespace heed {
namespace {

struct ScoreKind {
  std::string_view name;
  std::unique_ptr<Attention> (*make)(const ModelConfig&, Parameters&);
};

// e: an encoder state, h: the decoder's state, x: the last word's embedding.
constexpr ScoreKind kScores[] = {
    {"none", [](const ModelConfig&, Parameters&) { return std::unique_ptr<Attention>(); }},
    {"constant", make_constant},            // no score: the encoder's last state at every step
    {"linear", make_linear},                // W [h; e] + b
    {"additive", make_additive},            // v · tanh(Wq h + Wk e)
    {"concat", make_concat},                // v · tanh(W [h; e])
    {"shared-concat", make_shared_concat},  // v · tanh(W (h + e))
    {"dot", make_dot},                      // e · h
    {"scaled-dot", make_scaled_dot},        // e · h / sqrt(size)
    {"general", make_general},              // e · W h
    {"location", make_location},            // W [x; h] + b, a score a position
};

}  // namespace

std::unique_ptr<Attention> make_attention(const ModelConfig& config, Parameters& parameters) {
  const auto* const found = std::ranges::find(kScores, config.attention.score, &ScoreKind::name);
  check<UsageError>(found != std::end(kScores), "no score is called {}; there are {}", config.attention.score,
                    fmt::join(score_names(), ", "));
  return found->make(config, parameters);
}

std::vector<std::string> score_names() {
  std::vector<std::string> names;
  for (const ScoreKind& kind : kScores) names.emplace_back(kind.name);
  return names;
}

std::string bias_name(const std::string& weight_name) {
  constexpr std::string_view kWeight = "weight";
  check<UsageError>(weight_name.ends_with(kWeight), "the tensor name {} does not end in weight", weight_name);
  return weight_name.substr(0, weight_name.size() - kWeight.size()) + "bias";
}

}  // namespace heed
