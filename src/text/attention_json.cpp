#include "text/attention_json.h"

#include <cmath>

namespace heed {

double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

Json span_json(const Span& span) {
  return Json::array({span.from, span.to});
}

Json texts_json(std::span<const Token> tokens) {
  Json all = Json::array();
  for (const Token& token : tokens) all.push_back(token.text);
  return all;
}

Json spans_json(std::span<const Token> tokens) {
  Json all = Json::array();
  for (const Token& token : tokens) all.push_back(span_json(token.span));
  return all;
}

Json weights_json(const AttentionMatrix& matrix) {
  if (!matrix.has_weights()) return nullptr;
  Json rows = Json::array();
  for (std::size_t t = 0; t < matrix.target.size(); ++t) {
    Json row = Json::array();
    for (std::size_t s = 0; s < matrix.source.size(); ++s) row.push_back(rounded(matrix.at(t, s)));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json attention_json(const AttentionMatrix& matrix) {
  return {{"source", texts_json(matrix.source)},
          {"source_spans", spans_json(matrix.source)},
          {"target", texts_json(matrix.target)},
          {"target_spans", spans_json(matrix.target)},
          {"attention", weights_json(matrix)}};
}

}  // namespace heed
