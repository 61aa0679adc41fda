#include "text/attention_json.h"

#include <cmath>

#include "base/error.h"

namespace heed::text {
namespace {

std::vector<Token> tokens_from(const Json& json, const char* key, std::string_view where) {
  const auto found = json.find(key);
  check<InputError>(found != json.end() && found->is_array(), "{}: an attention matrix has no list \"{}\"", where, key);
  std::vector<Token> tokens;
  for (const Json& word : *found) {
    check<InputError>(word.is_string(), "{}: a word in \"{}\" is not text", where, key);
    tokens.push_back({word.get<std::string>(), {}});
  }
  return tokens;
}

}  // namespace

double rounded(double value, double steps) {
  return std::round(value * steps) / steps;
}

Json span_json(const Span& span) {
  return Json::array({span.from, span.to});
}

Json spans_json(std::span<const Token> tokens) {
  Json all = Json::array();
  for (const Token& token : tokens) all.push_back(span_json(token.span));
  return all;
}

Json weights_json(const AttentionMatrix& attention, double steps) {
  if (!attention.has_weights()) return nullptr;
  Json rows = Json::array();
  for (std::size_t t = 0; t < attention.target.size(); ++t) {
    Json row = Json::array();
    for (std::size_t s = 0; s < attention.source.size(); ++s) row.push_back(rounded(attention.at(t, s), steps));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json attention_json(const AttentionMatrix& attention) {
  return {{"source", token_texts(attention.source)},
          {"source_spans", spans_json(attention.source)},
          {"target", token_texts(attention.target)},
          {"target_spans", spans_json(attention.target)},
          {"attention", weights_json(attention)}};
}

AttentionMatrix attention_from_json(const Json& json, std::string_view where) {
  AttentionMatrix attention{.source = tokens_from(json, "source", where), .target = tokens_from(json, "target", where)};
  const auto rows = json.find("attention");
  if (rows == json.end() || !rows->is_array()) return attention;
  check<InputError>(rows->size() == attention.target.size(), "{}: \"attention\" has {} rows for {} target words", where,
                    rows->size(), attention.target.size());
  for (const Json& row : *rows) {
    check<InputError>(row.is_array() && row.size() == attention.source.size(),
                      "{}: a row of \"attention\" has {} weights for {} source words", where, row.size(),
                      attention.source.size());
    for (const Json& weight : row) {
      check<InputError>(weight.is_number() || weight.is_null(), "{}: a weight of \"attention\" is not a number", where);
      attention.weights.push_back(weight.is_number() ? weight.get<float>() : 0.0F);
    }
  }
  return attention;
}

}  // namespace heed::text
