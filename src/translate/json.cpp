#include "translate/json.h"

#include "text/attention_json.h"
#include "text/word_tokens.h"

namespace heed {
namespace {

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
  object["tokens"] = token_texts(map.target);
  object["target_spans"] = spans_json(map.target);
  Json confidences = Json::array();
  for (const float p : translation.probabilities) confidences.push_back(rounded(p));
  object["confidences"] = std::move(confidences);
  object["source_tokens"] = token_texts(map.source);
  object["source_spans"] = spans_json(map.source);
  object["attention"] = weights_json(map);
}

Json warnings_json(const LineResult& translated) {
  Json all = Json::array();
  for (const Warning& warning : translated.warnings)
    all.push_back({{"kind", name_of(warning.kind)}, {"text", warning.text}, {"span", span_json(warning.span)}});
  return all;
}

}  // namespace

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
