#include "translate/terms.h"

#include <algorithm>
#include <optional>

#include "base/utf8.h"
#include "text/scripts.h"
#include "text/spans.h"
#include "text/word_characters.h"
#include "translate/mark_words.h"
#include "translate/text_edits.h"

namespace heed::translate {
namespace {

// The mean log-probability of its words below which a constraint is dropped. Chosen on the validation text of
// tools/experiments/glossary.sh, where it matters little: -3 and -5 give nearly the same translations.
constexpr double kLeastLogProbability = -4;

bool is_inside(const text::Span& part, const text::Span& whole) {
  return whole.from <= part.from && part.to <= whole.to;
}

// How a subword or character joins its neighbors.
std::uint8_t joins_of(const std::string& token) {
  const std::u32string text = text::decode_utf8(token);
  std::uint8_t joins = 0;
  if (!text.empty() && text::joins_words(text.front())) joins |= search::kJoinsPrevious;
  if (!text.empty() && text::joins_words(text.back())) joins |= search::kJoinsNext;
  return joins;
}

// The span of `count` tokens from `from`; if they have no characters, an empty span after the token before them.
text::Span cover(std::span<const text::Token> tokens, std::size_t from, std::size_t count) {
  text::Span span = {UINT32_MAX, 0};
  for (const text::Token& token : tokens.subspan(from, count)) {
    if (token.span.from >= token.span.to) continue;
    span = {std::min(span.from, token.span.from), std::max(span.to, token.span.to)};
  }
  if (span.from < span.to) return span;
  const std::uint32_t at = from == 0 ? 0 : tokens[from - 1].span.to;
  return {at, at};
}

// Where a term that was not met is added: at the end, before a final punctuation mark.
std::uint32_t end_of_words(std::u32string_view text) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  std::size_t end = text.size();
  while (end > 0 && classes.is(text[end - 1], text::kPunctuation | text::kSpace)) --end;
  return static_cast<std::uint32_t>(end == 0 ? text.size() : end);
}

bool begins_text(std::u32string_view text, std::uint32_t at) {
  return std::ranges::none_of(text.substr(0, at), [&](char32_t c) { return text::joins_words(c); });
}

// Finds what a term replaces that had no constraint.
class TermPlacer {
 public:
  TermPlacer(std::u32string_view line, std::u32string_view translation, const LineResult& result)
      : links_(line, translation, result, {}), taken_(links_.target.is_symbol) {}

  // Words of the translation that no term may replace.
  void take(const text::Span& span) {
    for (WordRange words = links_.target.in(span); words.from < words.to; ++words.from) taken_[words.from] = true;
  }

  // What replaces the translation of a span of the line. If nothing was linked to it, the term is inserted after the
  // translation of the words before it: the span is empty.
  text::Span place(const text::Span& source) {
    const WordRange words = links_.source.in(source);
    std::vector<bool> is_linked(links_.target.size(), false), is_closest = is_linked;
    for (std::uint32_t s = words.from; s < words.to; ++s) {
      for (const std::uint32_t t : links_.targets[s]) is_linked[t] = !taken_[t];
      if (links_.closest[s] != MarkLinks::kNone) is_closest[links_.closest[s]] = true;
    }
    // The longest run of linked words; it should include one that attends to the span more than all others do.
    WordRange best;
    bool best_is_closest = false;
    for (std::uint32_t from = 0; from < is_linked.size(); ++from) {
      WordRange run = {from, from};
      bool has_closest = false;
      for (; run.to < is_linked.size() && is_linked[run.to]; ++run.to) has_closest = has_closest || is_closest[run.to];
      if (run.empty()) continue;
      if (std::pair(has_closest, run.to - run.from) > std::pair(best_is_closest, best.to - best.from))
        best = run, best_is_closest = has_closest;
      from = run.to - 1;
    }
    if (!best.empty()) {
      const text::Span found = {links_.target.span(best.from).from, links_.target.span(best.to - 1).to};
      take(found);
      return found;
    }
    for (std::uint32_t s = words.from; s-- > 0;)
      if (!links_.targets[s].empty()) {
        const std::uint32_t after = links_.target.span(links_.targets[s].back()).to;
        return {after, after};
      }
    return {0, 0};
  }

 private:
  MarkLinks links_;
  std::vector<bool> taken_;  // by target word
};

}  // namespace

void resolve_overlaps(std::vector<Term>& terms, std::vector<text::ProtectedSpan>& spans) {
  auto first = spans.begin();
  std::vector<text::Span> dropped;
  std::erase_if(terms, [&](const Term& term) {
    while (first != spans.end() && first->span.to <= term.source.from) ++first;
    bool gives_way = false;
    auto last = first;
    for (; last != spans.end() && last->span.from < term.source.to; ++last) {
      const bool same = last->span == term.source;
      gives_way = gives_way || (!same && is_inside(term.source, last->span)) ||
                  (!term.is_kept && !is_inside(last->span, term.source));
    }
    if (!gives_way && first != last) dropped.push_back(term.source);
    return gives_way;
  });
  auto next = dropped.begin();
  std::erase_if(spans, [&](const text::ProtectedSpan& span) {
    while (next != dropped.end() && next->to <= span.span.from) ++next;
    return next != dropped.end() && text::overlap(*next, span.span);
  });
}

TermEncoder::TermEncoder(const TextPipeline& pipeline) : pipeline_(&pipeline) {
  const text::Vocabulary& words = pipeline.target();
  const text::SpecialIds& special = words.special();
  unknown_ = special.unk;
  for (Id id = 0; id < words.size() && unknown_ < 0; ++id)
    if (!words.is_special(id)) unknown_ = id;
  if (!pipeline.config().has_subwords() && pipeline.config().tokenizer != "characters") return;
  joins_.resize(static_cast<std::size_t>(words.size()));
  for (Id id = 0; id < words.size(); ++id)
    if (!words.is_special(id)) joins_[static_cast<std::size_t>(id)] = joins_of(words.word(id));
}

std::vector<Id> TermEncoder::encode(const std::string& target) const {
  std::vector<Id> ids;
  for (const text::Token& token : pipeline_->target_tokenizer().tokenize(target)) {
    const Id id = pipeline_->target().id(token.text);
    ids.push_back(id < 0 ? unknown_ : id);
  }
  if (ids.empty()) ids.push_back(unknown_);
  return ids;
}

TermConstraints::TermConstraints(std::span<const Term> all, std::uint32_t offset, std::span<const text::Token> tokens,
                                 const TermEncoder& encoder)
    : terms(all.begin(), all.end()) {
  for (Term& term : terms) {
    term.source = {std::max(term.source.from, offset) - offset, std::max(term.source.to, offset) - offset};
    words.push_back(encoder.encode(term.target));
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    search::Constraint& c =
        constraints.emplace_back(search::Constraint{.words = words[i], .required = terms[i].required});
    term_of.push_back(i);
    const auto first =
        std::ranges::upper_bound(tokens, terms[i].source.from, {}, [](const text::Token& t) { return t.span.to; });
    auto last = first;
    while (last != tokens.end() && last->span.from < terms[i].source.to) ++last;
    c.source_from = first - tokens.begin();
    c.source_to = last - tokens.begin();
  }
}

bool TermConstraints::drop_failed(const search::Hypothesis& found, std::size_t fixed) {
  const auto is_good = [&](std::size_t c) {
    if (found.constraints[c] < 0) return false;
    const auto from = static_cast<std::size_t>(found.constraints[c]);
    const std::size_t count = constraints[c].words.size();
    double sum = 0;
    for (const float p : std::span(found.word_log_probabilities).subspan(from, count)) sum += static_cast<double>(p);
    return from < fixed || sum >= kLeastLogProbability * static_cast<double>(count);
  };
  std::size_t kept = 0;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    if (!is_good(c)) continue;
    constraints[kept] = constraints[c];
    term_of[kept++] = term_of[c];
  }
  const bool dropped = kept < constraints.size();
  constraints.resize(kept);
  term_of.resize(kept);
  return dropped;
}

bool TermConstraints::replaces() const {
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (terms[i].required && std::ranges::find(term_of, i) == term_of.end()) return true;
  return false;
}

namespace {

// Where each term of a translation goes: what it replaces, or an empty span where it is inserted; none if it is left
// out.
std::vector<std::optional<text::Span>> places_of(const TermConstraints& wanted, std::span<const Index> starts,
                                                 const Translation& translation, std::u32string_view translated,
                                                 std::string_view text, std::size_t fixed) {
  const std::span<const text::Token> tokens = translation.attention.target;
  const std::uint32_t end = end_of_words(translated);
  std::vector<std::optional<text::Span>> places(wanted.terms.size());
  for (std::size_t c = 0; c < wanted.term_of.size(); ++c) {
    const std::size_t i = wanted.term_of[c];
    if (c < starts.size() && starts[c] >= 0)
      places[i] = cover(tokens, static_cast<std::size_t>(starts[c]), wanted.words[i].size());
    else if (wanted.terms[i].required)
      places[i] = text::Span{end, end};
  }
  if (!wanted.replaces()) return places;
  TermPlacer placer(text::decode_utf8(text), translated, LineResult{.translations = {translation}, .warnings = {}});
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i]) placer.take(*places[i]);
  for (const text::Token& token : tokens.subspan(0, std::min(fixed, tokens.size()))) placer.take(token.span);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (!places[i] && wanted.terms[i].required) places[i] = placer.place(wanted.terms[i].source);
  return places;
}

}  // namespace

void place_terms(Translation& translation, const TermConstraints& wanted, std::span<const Index> starts,
                 std::string_view text, std::size_t fixed) {
  const std::u32string old_text = text::decode_utf8(translation.text);
  const auto found = places_of(wanted, starts, translation, old_text, text, fixed);
  std::vector<text::Token>& tokens = translation.attention.target;
  std::vector<TextEdit> edits;
  std::vector<text::Span> places;  // by TermSpan
  for (std::size_t i = 0; i < wanted.terms.size(); ++i) {
    if (!found[i]) continue;
    const Term& term = wanted.terms[i];
    const text::Span at = *found[i];
    std::u32string written = text::decode_utf8(term.target);
    if (term.capitalize && begins_text(old_text, at.from)) written[0] = text::title_case(written[0]);
    translation.terms.push_back({.text = text::encode_utf8(written), .source = term.source, .target = {}});
    if (text::part_of(old_text, at) != written) edits.push_back({.at = at, .text = written, .item = places.size()});
    places.push_back(at);
  }
  const TextEdits edited(old_text, std::move(edits));
  for (std::size_t i = 0; i < places.size(); ++i) translation.terms[i].target = edited.moved(places[i]);
  for (const TextEdit& edit : edited.edits()) translation.terms[edit.item].target = edit.result;
  if (edited.edits().empty()) return;
  translation.text = text::encode_utf8(edited.text());
  const TextEdit* last = nullptr;
  for (text::Token& token : tokens) {
    const TextEdit* edit = edited.replaced(token.span);
    if (edit == nullptr) {
      token.span = edited.moved(token.span);
    } else if (edit != last) {  // the first token of a term gets its whole text
      const bool has_mark = token.text.starts_with(kSpaceMark);
      token.text = (has_mark ? std::string(kSpaceMark) : std::string()) + text::encode_utf8(edit->text);
      token.span = edit->result;
      last = edit;
    } else {
      token.text.clear();
      token.span = {edit->result.to, edit->result.to};
    }
  }
}

}  // namespace heed::translate
