#include "translate/protected_sentence.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/placeholders.h"
#include "text/scripts.h"
#include "text/spans.h"

namespace heed::translate {
namespace {

// Stand-ins: short, so that a model can copy them, and not words of a language. A single letter works best for subword
// models; a word tokenizer would take a letter before a full stop for an initial.
constexpr std::u32string_view kStandIns[] = {U"X", U"Q", U"XY", U"QX", U"ZQ", U"XQ", U"YX"};

// Gives the first token of a span the text of the whole span, and clears the text of its other tokens.
class TokenNamer {
 public:
  void name(text::Token& token, const void* owner, const std::string& text, const text::Span& span) {
    const bool is_first = owner != owner_;
    owner_ = owner;
    const bool has_mark = token.text.starts_with(kSpaceMark) && !text.empty();
    token.text = !is_first ? std::string() : (has_mark ? std::string(kSpaceMark) : std::string()) + text;
    token.span = is_first ? span : text::Span{span.to, span.to};
  }

 private:
  const void* owner_ = nullptr;
};

std::u32string_view part(std::u32string_view text, const text::Span& span) {
  return text.substr(span.from, span.to - span.from);
}

// Whether a text contains the word, in upper or lower case.
bool has_word(std::u32string_view text, std::u32string_view word) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const auto is_letter = [&](std::size_t i) { return i < text.size() && classes.is(text[i], text::kLetter); };
  for (std::size_t i = 0; i + word.size() <= text.size(); ++i)
    if (std::ranges::equal(text.substr(i, word.size()), word, {}, text::fold_case, text::fold_case) &&
        (i == 0 || !is_letter(i - 1)) && !is_letter(i + word.size()))
      return true;
  return false;
}

// The spans of the chunks' translations in the translation of the sentence.
std::vector<text::Span> chunk_spans(const LineResult& result, std::size_t k) {
  std::vector<text::Span> spans;
  const std::string& whole = result.translations[k].text;
  std::size_t at = 0;      // in bytes
  std::uint32_t from = 0;  // in characters
  for (const LineResult& chunk : result.chunks) {
    const std::string& text = chunk.translations[k].text;
    const std::size_t found = std::min(whole.find(text, at), whole.size());
    from += static_cast<std::uint32_t>(utf8_length(std::string_view(whole).substr(at, found - at)));
    spans.push_back({from, from + static_cast<std::uint32_t>(utf8_length(text))});
    from = spans.back().to;
    at = std::min(found + text.size(), whole.size());
  }
  return spans;
}

}  // namespace

SpanPolicy::SpanPolicy(const TextPipeline& of_model)
    : pipeline(&of_model), numbers(std::make_shared<text::SpelledNumbers>(of_model.config().target_language)) {
  const auto has = [](const text::Vocabulary& words, const std::string& token) {
    const text::TokenId id = words.id(token);
    return id >= 0 && id != words.special().unk;
  };
  if (of_model.config().placeholders)
    for (const std::string& token : text::placeholder_tokens())
      if (has(of_model.source(), token) && has(of_model.target(), token)) placeholders += text::decode_utf8(token);
  const text::TokenId unk = of_model.target().special().unk;
  if (unk >= 0) unknown = text::decode_utf8(of_model.target().word(unk));
}

bool SpanPolicy::knows(std::u32string_view text) const {
  constexpr std::size_t kMostTokens = 2, kMostCharacters = 40;
  if (pipeline == nullptr || text.size() > kMostCharacters) return false;
  const std::vector<text::Token> tokens = pipeline->source_tokenizer().tokenize(text::encode_utf8(text));
  const text::Vocabulary& words = pipeline->source();
  return !tokens.empty() && tokens.size() <= kMostTokens && std::ranges::all_of(tokens, [&](const text::Token& token) {
    const text::TokenId id = words.id(token.text);
    return id >= 0 && id != words.special().unk;
  });
}

bool SpanPolicy::knows_a_word(std::string_view text) const {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const text::Vocabulary& words = pipeline->source();
  const auto is_known = [&](const text::Token& token) {
    const text::TokenId id = words.id(token.text);
    return id >= 0 && id != words.special().unk &&
           std::ranges::any_of(text::decode_utf8(token.text), [&](char32_t c) { return classes.is(c, text::kLetter); });
  };
  // Part by part, because the first word is nearly always known.
  for (std::size_t from = 0, to = 0; from < text.size(); from = to + 1) {
    to = std::min(text.find(' ', from), text.size());
    if (std::ranges::any_of(pipeline->source_tokenizer().tokenize(text.substr(from, to - from)), is_known)) return true;
  }
  return false;
}

bool SpanPolicy::reads_words() const {
  return pipeline == nullptr || !(pipeline->config().has_subwords() || pipeline->config().tokenizer == "characters");
}

ProtectedSentence::ProtectedSentence(std::string_view sentence, std::span<const text::ProtectedSpan> spans,
                                     const SpanPolicy& policy)
    : sentence_(text::decode_utf8(sentence)), unknown_(policy.unknown), numbers_(policy.numbers) {
  for (const text::ProtectedSpan& span : spans)
    items_.push_back({.span = span, .text = std::u32string(part(sentence_, span.span))});
  set_forms(policy);
  make_model_text();
}

void ProtectedSentence::set_forms(const SpanPolicy& policy) {
  for (const std::u32string_view word : kStandIns)
    if (stand_in_.empty() && !has_word(sentence_, word) && (word.size() > 1 || !policy.reads_words())) stand_in_ = word;
  std::size_t used = 0;
  for (SpanItem& item : items_) {
    const text::SpanKind kind = item.span.kind;
    if (used < policy.placeholders.size() && text::is_maskable(kind, item.text)) {
      item.form = SpanForm::placeholder;
      item.token = policy.placeholders[used++];
    } else if (kind == text::SpanKind::emoji || kind == text::SpanKind::tag) {
      item.form = SpanForm::left_out;
    } else if (!is_numeric(kind) && !stand_in_.empty() && !policy.knows(item.text)) {
      item.form = SpanForm::stand_in;
    }
  }
  // If no span uses the stand-in, the translation cannot contain copies of it.
  if (std::ranges::find(items_, SpanForm::stand_in, &SpanItem::form) == items_.end()) stand_in_.clear();
}

void ProtectedSentence::make_model_text() {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const auto is_letter = [&](char32_t c) { return classes.is(c, text::kLetter | text::kNumber); };
  const auto ends_with_word = [&] {  // not with one letter, as in H<sub>2</sub>O
    const std::size_t size = model_text_.size();
    return size >= 2 && classes.is(model_text_[size - 1], text::kLetter) &&
           classes.is(model_text_[size - 2], text::kLetter);
  };
  auto item = items_.begin();
  for (std::uint32_t i = 0; i < sentence_.size();) {
    if (item == items_.end() || i < item->span.span.from) {
      const char32_t c = sentence_[i];
      model_text_.push(text::is_placeholder(c) ? U'\uFFFD' : c, {i, i + 1});
      ++i;
      continue;
    }
    const text::Span span = item->span.span;
    // A stand-in is a word of its own.
    const bool is_word = item->form == SpanForm::stand_in;
    if (is_word && !model_text_.empty() && is_letter(model_text_[model_text_.size() - 1]))
      model_text_.push(' ', {i, i});
    // The number of a note is not part of the word before it: man<sup>1</sup>.
    if (item->span.kind == text::SpanKind::tag && ends_with_word() && span.to < sentence_.size() &&
        text::is_ascii_digit(sentence_[span.to]))
      model_text_.push(' ', {i, i});
    std::u32string written = item->text;
    if (item->form == SpanForm::placeholder) written = item->token;
    if (is_word) written = stand_in_;
    if (item->form == SpanForm::left_out) written.clear();
    for (std::uint32_t k = 0; k < written.size(); ++k)
      model_text_.push(written[k], item->form == SpanForm::unchanged ? text::Span{i + k, i + k + 1} : span);
    i = span.to;
    if (is_word && i < sentence_.size() && is_letter(sentence_[i])) model_text_.push(' ', {i, i});
    ++item;
  }
}

text::Span ProtectedSentence::original(const text::Span& span) const {
  if (span.from < span.to) return model_text_.cover(span.from, std::min<std::size_t>(span.to, model_text_.size()));
  const std::uint32_t at = span.from < model_text_.size() ? model_text_.origin(span.from).from
                                                          : static_cast<std::uint32_t>(sentence_.size());
  return {at, at};
}

text::Span ProtectedSentence::in_model_text(const text::Span& span) const {
  std::uint32_t from = 0;
  while (from < model_text_.size() && model_text_.origin(from).to <= span.from) ++from;
  std::uint32_t to = from;
  while (to < model_text_.size() && model_text_.origin(to).from < span.to) ++to;
  return {from, to};
}

void ProtectedSentence::restore_source(text::AttentionMatrix& map) const {
  TokenNamer namer;
  for (text::Token& token : map.source) {
    token.span = original(token.span);
    for (const SpanItem& item : items_)
      if (item.form != SpanForm::unchanged && token.span == item.span.span)
        namer.name(token, &item, text::encode_utf8(item.text), item.span.span);
  }
}

// The edits that put the spans into a translation.
TextEdits ProtectedSentence::make_edits(const SpanPlaces& places, std::u32string_view old_text) const {
  std::vector<TextEdit> edits;
  const auto is_space = [&](std::size_t i) { return i >= sentence_.size() || sentence_[i] == ' '; };
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const SpanItem& item = items_[i];
    const SpanPlace& place = places.items[i];
    const text::Span& span = item.span.span;
    const bool left_out = item.form == SpanForm::left_out;
    if (place.is_written && part(old_text, place.at) != std::u32string_view(&item.token, 1)) continue;
    edits.push_back({.at = place.at,
                     .text = item.text,
                     .space_before = !left_out || (span.from > 0 && is_space(span.from - 1)),
                     .space_after = !left_out || is_space(span.to),
                     .item = i});
  }
  for (const text::Span& span : places.removed) edits.push_back({.at = span, .text = {}, .item = items_.size()});
  return {old_text, std::move(edits)};
}

void ProtectedSentence::restore_translation(LineResult& result, std::size_t k, std::string_view prefix) const {
  Translation& translation = result.translations[k];
  const std::u32string old_text = text::decode_utf8(translation.text);
  restore_source(translation.attention);
  const std::vector<text::Span> chunks = chunk_spans(result, k);
  std::vector<std::uint32_t> breaks;
  for (const text::Span& chunk : chunks) breaks.push_back(chunk.from);
  std::vector<text::Span> terms;
  for (const TermSpan& term : translation.terms) terms.push_back(term.target);
  const SpanPlaces places = place_spans({.items = items_,
                                         .stand_in = stand_in_,
                                         .unknown = unknown_,
                                         .numbers = numbers_.get(),
                                         .fixed = static_cast<std::uint32_t>(utf8_length(prefix)),
                                         .breaks = breaks,
                                         .terms = terms},
                                        translation.attention, old_text);
  const TextEdits edits = make_edits(places, old_text);
  translation.text = text::encode_utf8(edits.text());
  const auto move_tokens = [&](text::AttentionMatrix& map) {
    TokenNamer namer;
    for (text::Token& token : map.target) {
      if (const TextEdit* edit = edits.replaced(token.span))
        namer.name(token, edit, text::encode_utf8(edit->text), edit->result);
      else
        token.span = edits.moved(token.span);
    }
  };
  const auto move_terms = [&](std::vector<TermSpan>& all) {
    for (TermSpan& term : all) {
      term.source = original(term.source);
      term.target = edits.moved(term.target);
    }
  };
  move_tokens(translation.attention);
  move_terms(translation.terms);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    Translation& chunk = result.chunks[c].translations[k];
    const bool touches = c > 0 && chunks[c - 1].to == chunks[c].from;
    const std::uint32_t from = touches ? edits.after(chunks[c].from) : edits.before(chunks[c].from);
    const std::uint32_t to = std::max(from, edits.after(chunks[c].to));
    chunk.text = text::encode_utf8(part(edits.text(), {from, to}));
    restore_source(chunk.attention);
    move_tokens(chunk.attention);
    move_terms(chunk.terms);
  }
  for (std::size_t i = 0; i < items_.size(); ++i)
    translation.kept.push_back({.text = text::encode_utf8(items_[i].text),
                                .kind = items_[i].span.kind,
                                .source = items_[i].span.span,
                                .target = edits.moved(places.items[i].at)});
  for (const TextEdit& edit : edits.edits())
    if (edit.item < items_.size()) translation.kept[edit.item].target = edit.result;
  if (k == 0) restore_warnings(result.warnings, places, edits);
}

void ProtectedSentence::restore_warnings(std::vector<Warning>& warnings, const SpanPlaces& places,
                                         const TextEdits& edits) const {
  for (Warning& warning : warnings) {
    const bool in_source = is_about_source(warning.kind);
    warning.span = in_source ? original(warning.span) : edits.moved(warning.span);
    warning.text = text::encode_utf8(part(in_source ? sentence_ : edits.text(), warning.span));
  }
  // Protected spans are never lost, even if the model did not attend to them.
  std::erase_if(warnings, [&](const Warning& warning) {
    return warning.kind == Warning::Kind::unattended && std::ranges::any_of(items_, [&](const SpanItem& item) {
             return item.span.span.from < warning.span.to && warning.span.from < item.span.span.to;
           });
  });
  for (std::size_t i = 0; i < items_.size(); ++i)
    if (places.items[i].is_guess)
      warnings.push_back({Warning::Kind::unaligned, text::encode_utf8(items_[i].text), items_[i].span.span});
}

void ProtectedSentence::restore(LineResult& result, std::string_view prefix) const {
  for (std::size_t k = 0; k < result.translations.size(); ++k) restore_translation(result, k, prefix);
}

}  // namespace heed::translate
