#include "model/attention.h"

namespace heed::model {
namespace {

void check_equal_widths(const ModelConfig& c) {
  check<UsageError>(
      c.encoder.output_size() == c.decoder.hidden,
      "attention.score {} needs encoder and decoder states of the same size, but they have {} and {} units: set "
      "decoder.hidden to {}{}, or attention.score to general",
      enum_name(c.attention.score), c.encoder.output_size(), c.decoder.hidden, c.encoder.output_size(),
      c.encoder.bidirectional ? " (encoder.hidden in two directions)" : "");
}

void check_location(const ModelConfig& c) {
  check<UsageError>(
      c.attention.max_length > 0,
      "attention.score is location, which needs attention.max_length: set it to the number of tokens of the longest "
      "source and its end symbol, for example 50");
  check<UsageError>(c.attention.position == AttentionPosition::before,
                    "attention.score is location, which is computed before the cell: set attention.position to before");
}

constexpr ScoreKind kScores[] = {
    {.value = Score::none, .name = "none", .make = nullptr, .weights = false},
    {.value = Score::constant,
     .name = "constant",
     .make = make_constant,
     .remark = "the encoder's last state at every step",
     .weights = false},
    {.value = Score::linear,
     .name = "linear",
     .make = make_linear,
     .equation = "W [h; e] + b",
     .remark = "the state adds the same number to every score, so this attention is the same at every step"},
    {.value = Score::additive,
     .name = "additive",
     .make = make_additive,
     .equation = "v · tanh(Wq h + Wk e)",
     .sized_tensor = "decoder.attention.query.weight",
     .sized_setting = &AttentionConfig::size},
    {.value = Score::concat,
     .name = "concat",
     .make = make_concat,
     .equation = "v · tanh(W [h; e])",
     .sized_tensor = "decoder.attention.combine.weight",
     .sized_setting = &AttentionConfig::size},
    {.value = Score::shared_concat,
     .name = "shared-concat",
     .make = make_shared_concat,
     .equation = "v · tanh(W (h + e))",
     .check = check_equal_widths},
    {.value = Score::dot, .name = "dot", .make = make_dot, .equation = "e · h", .check = check_equal_widths},
    {.value = Score::scaled_dot,
     .name = "scaled-dot",
     .make = make_scaled_dot,
     .equation = "e · h / √size",
     .check = check_equal_widths},
    {.value = Score::general, .name = "general", .make = make_general, .equation = "e · W h"},
    {.value = Score::location,
     .name = "location",
     .make = make_location,
     .equation = "W [last word; h] + b, one per position",
     .check = check_location,
     .sized_tensor = "decoder.attention.combine.weight",
     .sized_setting = &AttentionConfig::max_length},
};
static_assert(rows_in_order(kScores));

}  // namespace

const ScoreKind& score_kind(Score score) {
  return kScores[static_cast<std::size_t>(score)];
}

std::vector<std::string> enum_names(Score) {
  return row_names(kScores);
}

std::vector<std::string> enum_about(Score) {
  std::vector<std::string> lines;
  for (const ScoreKind& row : kScores) {
    const bool both = !row.equation.empty() && !row.remark.empty();
    lines.push_back(row.make == nullptr ? "no attention"
                                        : fmt::format("{}{}{}", row.equation, both ? "; " : "", row.remark));
  }
  return lines;
}

}  // namespace heed::model
