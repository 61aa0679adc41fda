#include "alignment/from_attention.h"

namespace heed {
namespace {

// Every row the one of the step after it; the end symbol, after which there is none, keeps its own.
void shift_rows(AttentionMatrix& map) {
  const auto columns = static_cast<std::ptrdiff_t>(map.source.size());
  if (map.has_weights()) std::copy(map.weights.begin() + columns, map.weights.end(), map.weights.begin());
}

}  // namespace

Alignment attention_links(const AttentionMatrix& words, const LinkOptions& options) {
  Alignment links;
  if (!words.has_weights()) return links;
  const std::size_t source_words = words.source.size() - (words.source_end ? 1 : 0);
  const std::size_t target_words = words.target.size() - (words.target_end ? 1 : 0);
  for (std::size_t t = 0; t < target_words && source_words > 0; ++t) {
    std::size_t best = 0;
    for (std::size_t s = 1; s < source_words; ++s)
      if (words.at(t, s) > words.at(t, best)) best = s;
    const float most = words.at(t, best);
    const bool to_the_end = words.source_end && words.at(t, source_words) > most;
    // A word that no token stands for was attended to by nothing and attends to nothing.
    if (most > 0 && !to_the_end && static_cast<double>(most) >= options.threshold)
      links.push_back({static_cast<std::uint32_t>(best), static_cast<std::uint32_t>(t)});
  }
  return links;
}

LinkWords::LinkWords(const TextConfig& config, bool pretokenized) {
  const auto words = [&](TokeniserOptions side) {
    const bool makes_words = side.kind == "words" || side.kind == "whitespace" || side.kind == "word-characters";
    if (pretokenized)
      side = {.kind = "whitespace"};
    else if (!makes_words)
      side = {.kind = "words", .language = side.language};
    return make_tokeniser(side);
  };
  source = words(config.source());
  target = words(config.target());
}

Alignment link_words(AttentionMatrix attention, std::string_view source, std::string_view target,
                     const LinkWords& words, const LinkOptions& options) {
  if (options.shift) shift_rows(attention);
  return attention_links(by_words(attention, words.source->tokenise(source), words.target->tokenise(target)), options);
}

}  // namespace heed
