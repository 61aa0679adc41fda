#include "translate/terms.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/scripts.h"
#include "text/spans.h"
#include "text/word_characters.h"
#include "translate/text_edits.h"

namespace heed::translate {
namespace {

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
    const auto first =
        std::ranges::upper_bound(tokens, terms[i].source.from, {}, [](const text::Token& t) { return t.span.to; });
    auto last = first;
    while (last != tokens.end() && last->span.from < terms[i].source.to) ++last;
    c.source_from = first - tokens.begin();
    c.source_to = last - tokens.begin();
  }
}

void place_terms(Translation& translation, const TermConstraints& wanted, std::span<const Index> starts) {
  const std::u32string old_text = text::decode_utf8(translation.text);
  std::vector<text::Token>& tokens = translation.attention.target;
  std::vector<TextEdit> edits;
  std::vector<text::Span> places;  // by TermSpan
  for (std::size_t i = 0; i < wanted.terms.size(); ++i) {
    const Term& term = wanted.terms[i];
    const bool is_met = i < starts.size() && starts[i] >= 0;
    if (!is_met && !term.required) continue;
    const std::uint32_t end = end_of_words(old_text);
    const text::Span at =
        is_met ? cover(tokens, static_cast<std::size_t>(starts[i]), wanted.words[i].size()) : text::Span{end, end};
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
