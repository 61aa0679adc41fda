#include "translate/json.h"

#include "base/utf8.h"
#include "text/spans.h"

namespace heed::translate {
namespace {

// The words of the translation; the confidence of a word is the product over its tokens.
Json words_json(const Translation& translation) {
  const std::vector<text::Token> words = text::whitespace_words(translation.text);
  const std::size_t count = translation.attention.target.size() - (translation.attention.target_end ? 1 : 0);
  const auto words_of = words_of_tokens(std::span(translation.attention.target).first(count), words);
  std::vector<double> confidences(words.size(), 1);
  for (std::size_t t = 0; t < count; ++t)
    for (const std::size_t word : words_of[t]) confidences[word] *= translation.probabilities[t];
  Json all = Json::array();
  for (std::size_t i = 0; i < words.size(); ++i)
    all.push_back(
        {{"text", words[i].text}, {"span", span_json(words[i].span)}, {"confidence", text::rounded(confidences[i])}});
  return all;
}

void add_translation(Json& object, const Translation& translation) {
  const text::AttentionMatrix& attention = translation.attention;
  object["translation"] = translation.text;
  object["score"] = text::rounded(translation.score);
  object["log_probability"] = text::rounded(translation.log_probability);
  object["tokens"] = token_texts(attention.target);
  object["target_spans"] = spans_json(attention.target);
  Json& confidences = object["confidences"] = Json::array();
  for (const float p : translation.probabilities) confidences.push_back(text::rounded(p));
  object["source_tokens"] = token_texts(attention.source);
  object["source_spans"] = spans_json(attention.source);
  object["attention"] = weights_json(attention);
  for (const KeptSpan& kept : translation.kept)
    object["protected"].push_back({{"text", kept.text},
                                   {"kind", name_of(kept.kind)},
                                   {"source_span", span_json(kept.source)},
                                   {"target_span", span_json(kept.target)}});
  for (const TermSpan& term : translation.terms)
    object["terms"].push_back(
        {{"text", term.text}, {"source_span", span_json(term.source)}, {"target_span", span_json(term.target)}});
}

}  // namespace

Json to_json(std::string_view line, const LineResult& result) {
  Json object = {{"source", replace_bad_utf8(line)}};  // the text that the spans refer to
  add_translation(object, result.best());
  object["words"] = words_json(result.best());
  Json& warnings = object["warnings"] = Json::array();
  for (const Warning& warning : result.warnings)
    warnings.push_back({{"kind", name_of(warning.kind)}, {"text", warning.text}, {"span", span_json(warning.span)}});
  if (result.translations.size() > 1)
    for (const Translation& translation : result.translations)
      add_translation(object["nbest"].emplace_back(Json::object()), translation);
  for (const LineResult& chunk : result.chunks)
    add_translation(object["pieces"].emplace_back(Json::object()), chunk.best());
  return object;
}

}  // namespace heed::translate
