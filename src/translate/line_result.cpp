#include "translate/line_result.h"

#include <algorithm>
#include <cmath>

#include "alignment/attention_links.h"
#include "base/utf8.h"
#include "text/spans.h"

namespace heed::translate {
namespace {

// The weights of the source tokens at step t. Location attention may have more columns than there are tokens.
std::span<const float> weights_at(const search::Hypothesis& hypothesis, std::size_t t, std::size_t tokens) {
  return std::span(hypothesis.attention).subspan(t * static_cast<std::size_t>(hypothesis.width), tokens);
}

}  // namespace

Translation make_translation(const TextPipeline& pipeline, std::span<const text::Token> source,
                             search::Hypothesis hypothesis, const UnknownWords& unknown,
                             std::span<const UnknownName> names) {
  const text::Vocabulary& words = pipeline.target();
  const text::SpecialIds& special = words.special();
  Translation result{
      .score = hypothesis.score, .log_probability = hypothesis.log_probability, .trace = std::move(hypothesis.trace)};
  std::vector<std::string> texts;
  NameCopier copier(names);
  for (std::size_t t = 0; t < hypothesis.words.size(); ++t) {
    const text::TokenId id = hypothesis.words[t];
    if (words.is_special(id) && id != special.unk) continue;
    texts.push_back(words.word(id));
    if (id != special.unk || !unknown.replace || source.empty()) continue;
    if (!unknown.only_names) {
      const std::span<const float> weights = weights_at(hypothesis, t, source.size());
      texts.back() = unknown.replacement(
          source[static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin())].text);
    } else if (!names.empty()) {
      if (const UnknownName* name = copier.choose(weights_at(hypothesis, t, source.size()))) texts.back() = name->text;
    }
  }
  TextPipeline::TargetText target = pipeline.detokenize(std::move(texts));
  result.text = std::move(target.text);

  text::AttentionMatrix& map = result.attention;
  map.source.assign(source.begin(), source.end());
  map.source.push_back({pipeline.source().word(pipeline.source().special().eos), {end_of(source), end_of(source)}});
  map.source_end = true;
  map.target_end = !hypothesis.words.empty() && hypothesis.words.back() == special.eos;
  auto next = target.tokens.begin();
  const auto end = static_cast<std::uint32_t>(utf8_length(result.text));
  for (const text::TokenId id : hypothesis.words) {
    const bool is_text = !words.is_special(id) || id == special.unk;
    const std::uint32_t here = id == special.eos ? end : end_of(map.target);
    map.target.push_back(is_text ? std::move(*next++) : text::Token{words.word(id), {here, here}});
  }
  for (std::size_t t = 0; t < hypothesis.words.size() && !hypothesis.attention.empty(); ++t) {
    const auto row = hypothesis.attention.begin() + static_cast<std::ptrdiff_t>(t) * hypothesis.width;
    map.weights.insert(map.weights.end(), row, row + static_cast<std::ptrdiff_t>(map.source.size()));
  }
  for (const float log : hypothesis.word_log_probabilities) result.probabilities.push_back(std::exp(log));
  return result;
}

alignment::Alignment word_links(std::string_view line, const LineResult& result, std::size_t translation) {
  std::vector<const text::AttentionMatrix*> parts;
  for (const LineResult& chunk : result.chunks) parts.push_back(&chunk.translations[translation].attention);
  if (parts.empty()) parts.push_back(&result.translations[translation].attention);
  return alignment::attention_links(parts, text::whitespace_words(line),
                                    text::whitespace_words(result.translations[translation].text));
}

}  // namespace heed::translate
