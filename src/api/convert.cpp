#include "api/convert.h"

#include <utility>

namespace heed::api {
namespace {

std::vector<Token> to_public(std::vector<text::Token> tokens) {
  std::vector<Token> all;
  all.reserve(tokens.size());
  for (text::Token& token : tokens) all.push_back({std::move(token.text), token.span.from, token.span.to});
  return all;
}

std::vector<text::Token> to_internal(const std::vector<Token>& tokens) {
  std::vector<text::Token> all;
  all.reserve(tokens.size());
  for (const Token& token : tokens) all.push_back({token.text, {token.begin, token.end}});
  return all;
}

}  // namespace

Attention to_public(text::AttentionMatrix matrix) {
  Attention attention;
  attention.source = to_public(std::move(matrix.source));
  attention.target = to_public(std::move(matrix.target));
  attention.source_end = matrix.source_end;
  attention.target_end = matrix.target_end;
  attention.weights = std::move(matrix.weights);
  return attention;
}

text::AttentionMatrix to_internal(const Attention& attention) {
  return {.source = to_internal(attention.source),
          .target = to_internal(attention.target),
          .source_end = attention.source_end,
          .target_end = attention.target_end,
          .weights = attention.weights};
}

Alignment to_public(const alignment::Alignment& links) {
  Alignment all;
  all.reserve(links.size());
  for (const alignment::Link& link : links) all.push_back({link.source, link.target, link.sure});
  return all;
}

alignment::Alignment to_internal(const Alignment& links) {
  alignment::Alignment all;
  all.reserve(links.size());
  for (const Link& link : links) all.push_back({link.source, link.target, link.sure});
  return all;
}

std::vector<alignment::Alignment> to_internal(const std::vector<Alignment>& all) {
  std::vector<alignment::Alignment> converted;
  converted.reserve(all.size());
  for (const Alignment& links : all) converted.push_back(to_internal(links));
  return converted;
}

AlignmentScore to_public(const alignment::AlignmentScore& score) {
  return {score.precision(), score.recall(), score.aer(), score.links(), score.sure_links(), score.possible_links()};
}

MetricScore to_public(const metrics::CorpusScore& scored, bool sentences) {
  const metrics::Metric& metric = *scored.metric;
  MetricScore score{scored.name,
                    metric.label(),
                    scored.score(),
                    metric.lower_is_better(),
                    metric.details(scored.sums),
                    signature(metric, scored.references),
                    {}};
  if (sentences)
    for (std::size_t i = 0; i < scored.sentence_statistics.rows(); ++i)
      score.sentences.push_back(metric.score(scored.sentence_statistics.row(i), metrics::Level::sentence));
  return score;
}

}  // namespace heed::api
