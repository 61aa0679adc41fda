#include "translate/alignment.h"

namespace heed {
namespace {

// Every row the one of the step after it; the end symbol, after which there is none, keeps its own.
void shift_rows(AttentionMap& map) {
  const auto columns = static_cast<std::ptrdiff_t>(map.source.size());
  if (map.has_weights()) std::copy(map.weights.begin() + columns, map.weights.end(), map.weights.begin());
}

}  // namespace

Alignment attention_links(const AttentionMap& words, const LinkOptions& options) {
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

std::vector<Alignment> align_given(std::span<const Given> given, std::span<const std::string> sources,
                                   std::span<const std::string> targets, const LinkWords& words,
                                   const LinkOptions& options) {
  check(given.size() == sources.size() && given.size() == targets.size(), "{} maps, {} sources, {} targets",
        given.size(), sources.size(), targets.size());
  std::vector<Alignment> alignments;
  for (std::size_t i = 0; i < given.size(); ++i) {
    AttentionMap map = given[i].map;
    if (options.shift) shift_rows(map);
    const auto by_word = by_words(map, words.source->tokenise(sources[i]), words.target->tokenise(targets[i]));
    alignments.push_back(attention_links(by_word, options));
  }
  return alignments;
}

}  // namespace heed
