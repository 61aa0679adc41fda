#include "translate/glossary.h"

#include <algorithm>

#include "base/enum_names.h"
#include "base/error.h"
#include "base/utf8.h"
#include "text/scripts.h"
#include "text/spans.h"
#include "text/word_characters.h"

namespace heed::translate {
namespace {

constexpr std::size_t kMostWords = 100;  // per term; bounds the work per word of a sentence

// Inflected forms share a stem of at least kStem letters, followed by at most kEnding other letters; if the stem has
// only kShortStem letters, by at most one.
constexpr std::size_t kShortStem = 3, kStem = 4, kEnding = 3;
constexpr std::size_t kMostForms = 16;  // glossary words that one word of a sentence may match

struct MatchRow {
  GlossaryMatch value;
  std::string_view name, about;
};
constexpr MatchRow kMatches[] = {
    {GlossaryMatch::exact, "exact", "as they are in the glossary; case matters only to terms with the rule exact"},
    {GlossaryMatch::inflected, "inflected",
     "also with other endings: at most three letters after a common stem of four or more, one after three"},
};
static_assert(rows_in_order(kMatches));

std::size_t common_prefix(std::u32string_view a, std::u32string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

bool have_common_stem(std::u32string_view a, std::u32string_view b) {
  const std::size_t stem = common_prefix(a, b), ending = std::max(a.size(), b.size()) - stem;
  return ending == 0 || (ending <= 1 && stem >= kShortStem) || (ending <= kEnding && stem >= kStem);
}

std::size_t shortest_stem(std::u32string_view word) {
  return std::max(kShortStem, word.size() - std::min(word.size(), kEnding));
}

bool is_inflectable(std::u32string_view word) {
  return word.size() >= kShortStem && std::ranges::all_of(word, [](char32_t c) {
           return text::CharacterClasses::get().is(c, text::kLetter | text::kNonspacing);
         });
}

bool has_capital(std::u32string_view text) {
  return std::ranges::any_of(text, [](char32_t c) { return text::fold_case(c) != c; });
}

}  // namespace

std::vector<std::string> enum_names(GlossaryMatch) {
  return row_names(kMatches);
}
std::vector<std::string> enum_about(GlossaryMatch) {
  return row_lines(kMatches);
}

Glossary::Glossary(std::vector<GlossaryEntry> entries, GlossaryMatch match, std::string_view name)
    : entries_(std::move(entries)), match_(match), next_(entries_.size(), -1) {
  for (std::size_t i = 0; i < entries_.size(); ++i) add(i, name);
}

std::vector<Glossary::Word> Glossary::split(std::u32string_view text) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  std::vector<Word> words;
  bool joins = false;
  for (std::uint32_t i = 0; i < text.size(); ++i) {
    const bool joined = joins;
    joins = text::joins_words(text[i]);
    if (classes.is(text[i], text::kSpace)) continue;
    if (!joined || !joins) words.push_back({.span = {i, i}, .folded = {}});
    words.back().span.to = i + 1;
    words.back().folded += text::fold_case(text[i]);
  }
  return words;
}

int Glossary::child(int node, int word) const {
  const auto found = children_.find(static_cast<std::uint64_t>(node) << 32 | static_cast<std::uint32_t>(word));
  return found == children_.end() ? -1 : found->second;
}

void Glossary::add(std::size_t entry, std::string_view name) {
  GlossaryEntry& own = entries_[entry];
  const std::vector<Word> words = split(text::decode_utf8(own.source));
  check<InputError>(!words.empty(), "{}:{}: the source term is empty", name, own.line);
  check<InputError>(words.size() <= kMostWords, "{}:{}: the source term has {} words, but at most {} are allowed", name,
                    own.line, words.size(), kMostWords);
  int node = 0;
  for (const Word& word : words) {
    const auto [found, is_new] = words_.try_emplace(word.folded, static_cast<int>(texts_.size()));
    if (is_new) {
      texts_.push_back(word.folded);
      add_stems(word.folded, found->second);
    }
    const auto key = static_cast<std::uint64_t>(node) << 32 | static_cast<std::uint32_t>(found->second);
    const auto [next, is_new_node] = children_.try_emplace(key, static_cast<int>(nodes_.size()));
    if (is_new_node) nodes_.emplace_back();
    node = next->second;
  }
  if (own.target == own.source) own.target.clear();
  int* last = &nodes_[static_cast<std::size_t>(node)].first;
  for (; *last >= 0; last = &next_[static_cast<std::size_t>(*last)]) {
    const GlossaryEntry& other = entries_[static_cast<std::size_t>(*last)];
    if (own.exact_case != other.exact_case || (own.exact_case && own.source != other.source)) continue;
    if (own.target == other.target) return;
    throw InputError("{}:{}: {} is translated as {} here, but as {} in line {}; leave out one of them", name, own.line,
                     in_quotes(own.source), in_quotes(own.target.empty() ? own.source : own.target),
                     in_quotes(other.target.empty() ? other.source : other.target), other.line);
  }
  *last = static_cast<int>(entry);
}

void Glossary::add_stems(const std::u32string& word, int id) {
  if (match_ != GlossaryMatch::inflected || !is_inflectable(word)) return;
  for (std::size_t size = shortest_stem(word); size <= word.size(); ++size) stems_[word.substr(0, size)].push_back(id);
}

// The ids of the glossary words that a word matches: itself first, then those with the longest common stem.
std::vector<int> Glossary::ids_of(const std::u32string& word) const {
  std::vector<int> ids;
  if (const auto found = words_.find(word); found != words_.end()) ids.push_back(found->second);
  if (match_ != GlossaryMatch::inflected || !is_inflectable(word)) return ids;
  for (std::size_t size = word.size(); size >= shortest_stem(word) && ids.size() < kMostForms; --size) {
    const auto found = stems_.find(word.substr(0, size));
    if (found == stems_.end()) continue;
    // Very many words may share a stem; only the first are considered.
    for (std::size_t i = 0; i < std::min(found->second.size(), 8 * kMostForms) && ids.size() < kMostForms; ++i) {
      const int id = found->second[i];
      if (have_common_stem(word, texts_[static_cast<std::size_t>(id)]) && std::ranges::find(ids, id) == ids.end())
        ids.push_back(id);
    }
  }
  return ids;
}

// The entry that ends at a node and matches the case of the words; -1: none.
int Glossary::accepted(int node, std::u32string_view sentence, std::span<const Word> words) const {
  int any = -1;
  for (int e = nodes_[static_cast<std::size_t>(node)].first; e >= 0; e = next_[static_cast<std::size_t>(e)]) {
    const GlossaryEntry& entry = entries_[static_cast<std::size_t>(e)];
    if (!entry.exact_case) {
      any = e;
      continue;
    }
    const std::u32string source = text::decode_utf8(entry.source);
    const std::vector<Word> own = split(source);
    bool same = own.size() == words.size();
    for (std::size_t i = 0; i < own.size() && same; ++i) {
      const std::size_t stem = common_prefix(own[i].folded, words[i].folded);
      same =
          text::part_of(source, own[i].span).substr(0, stem) == text::part_of(sentence, words[i].span).substr(0, stem);
    }
    if (same) return e;
  }
  return any;
}

// The longest term that begins with the first word.
Glossary::Match Glossary::longest(std::u32string_view sentence, std::span<const Word> words,
                                  std::span<const std::vector<int>> ids) const {
  Match best;
  std::vector<int> nodes = {0}, next;
  for (std::size_t n = 0; n < words.size() && !nodes.empty(); ++n) {
    next.clear();
    for (const int node : nodes)
      for (const int id : ids[n])
        if (const int found = child(node, id); found >= 0 && next.size() < kMostForms) next.push_back(found);
    nodes.swap(next);
    for (const int node : nodes) {
      const int entry = accepted(node, sentence, words.first(n + 1));
      if (entry < 0) continue;
      best = {entry, n + 1};
      break;
    }
  }
  return best;
}

Term Glossary::make_term(const GlossaryEntry& entry, std::u32string_view sentence, const text::Span& span) const {
  Term term{.source = span, .target = entry.target, .required = !entry.preferred, .is_kept = entry.target.empty()};
  if (term.is_kept) {
    term.target = text::encode_utf8(text::part_of(sentence, span));
    return term;
  }
  const auto first = std::ranges::find_if(sentence, text::joins_words);
  term.capitalize =
      first != sentence.end() && text::fold_case(*first) != *first && !has_capital(text::decode_utf8(entry.target));
  return term;
}

std::vector<Term> Glossary::find(std::string_view sentence) const {
  const std::u32string text = text::decode_utf8(sentence);
  const std::vector<Word> words = split(text);
  std::vector<std::vector<int>> ids;
  for (const Word& word : words) ids.push_back(ids_of(word.folded));
  std::vector<Term> terms;
  for (std::size_t i = 0; i < words.size();) {
    const Match match = longest(text, std::span(words).subspan(i), std::span(ids).subspan(i));
    if (match.entry >= 0)
      terms.push_back(make_term(entries_[static_cast<std::size_t>(match.entry)], text,
                                {words[i].span.from, words[i + match.words - 1].span.to}));
    i += std::max<std::size_t>(match.words, 1);
  }
  return terms;
}

}  // namespace heed::translate
