#include "translate/json.h"

#include <cmath>

#include "text/word_tokens.h"

namespace heed {
namespace {

// Six digits behind the point: what is measured, without the noise of binary fractions.
double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

Json span_json(const Span& span) {
  return Json::array({span.from, span.to});
}

Json texts(const std::vector<Token>& tokens) {
  Json all = Json::array();
  for (const Token& token : tokens) all.push_back(token.text);
  return all;
}

Json spans(const std::vector<Token>& tokens) {
  Json all = Json::array();
  for (const Token& token : tokens) all.push_back(span_json(token.span));
  return all;
}

Json weights(const AttentionMatrix& map) {
  if (!map.has_weights()) return nullptr;
  Json rows = Json::array();
  for (std::size_t t = 0; t < map.target.size(); ++t) {
    Json row = Json::array();
    for (std::size_t s = 0; s < map.source.size(); ++s) row.push_back(rounded(map.at(t, s)));
    rows.push_back(std::move(row));
  }
  return rows;
}

// The words of the translation; each is as probable as all its tokens together.
Json words(const Translation& translation) {
  const std::vector<Token> words = whitespace_words(translation.text);
  const std::size_t count = translation.attention.target.size() - (translation.attention.target_end ? 1 : 0);
  const auto places = words_of_tokens(std::span(translation.attention.target).first(count), words);
  std::vector<double> confidences(words.size(), 1);
  for (std::size_t t = 0; t < count; ++t)
    for (const std::size_t word : places[t]) confidences[word] *= translation.probabilities[t];
  Json all = Json::array();
  for (std::size_t i = 0; i < words.size(); ++i)
    all.push_back(
        {{"text", words[i].text}, {"span", span_json(words[i].span)}, {"confidence", rounded(confidences[i])}});
  return all;
}

void add_candidate(Json& object, const Translation& translation) {
  const AttentionMatrix& map = translation.attention;
  object["translation"] = translation.text;
  object["score"] = rounded(translation.score);
  object["log_probability"] = rounded(translation.log_probability);
  object["tokens"] = texts(map.target);
  object["target_spans"] = spans(map.target);
  Json confidences = Json::array();
  for (const float p : translation.probabilities) confidences.push_back(rounded(p));
  object["confidences"] = std::move(confidences);
  object["source_tokens"] = texts(map.source);
  object["source_spans"] = spans(map.source);
  object["attention"] = weights(map);
}

Json warnings_json(const LineResult& translated) {
  Json all = Json::array();
  for (const Warning& warning : translated.warnings)
    all.push_back({{"kind", name_of(warning.kind)}, {"text", warning.text}, {"span", span_json(warning.span)}});
  return all;
}

}  // namespace

Json attention_json(const AttentionMatrix& map) {
  return {{"source", texts(map.source)},
          {"source_spans", spans(map.source)},
          {"target", texts(map.target)},
          {"target_spans", spans(map.target)},
          {"attention", weights(map)}};
}

std::string translated_json(std::string_view line, const LineResult& translated) {
  Json object = {{"source", line}};
  add_candidate(object, translated.best());
  object["words"] = words(translated.best());
  object["warnings"] = warnings_json(translated);
  if (translated.translations.size() > 1) {
    for (const Translation& translation : translated.translations) {
      Json one = Json::object();
      add_candidate(one, translation);
      object["nbest"].push_back(std::move(one));
    }
  }
  std::string text = dump_json(object);
  if (translated.chunks.empty()) return text;
  // Chunk by chunk, so that only one is a tree at a time.
  text.back() = ',';
  text += "\"pieces\":[";
  for (const LineResult& chunk : translated.chunks) {
    Json one = Json::object();
    add_candidate(one, chunk.best());
    text += dump_json(one);
    text += &chunk == &translated.chunks.back() ? "]}" : ",";
  }
  return text;
}

}  // namespace heed
