#include "metrics/segment.h"

#include <algorithm>

#include "base/nearest.h"
#include "text/normalize.h"
#include "text/unicode.h"

namespace heed::metrics {

bool is_metric_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return text::CharacterClasses::get().is(c, text::kSpace);
}

std::u32string read_segment(std::string_view utf8, bool lowercase) {
  std::u32string text;
  if (lowercase) {
    text::MappedText mapped(utf8);
    to_lowercase(mapped);
    text = mapped.text();
  } else {
    text = text::decode_utf8(utf8);
  }
  while (!text.empty() && is_metric_space(text.back())) text.pop_back();
  return text;
}

std::vector<std::u32string_view> split_words(std::u32string_view text) {
  std::vector<std::u32string_view> words;
  for (std::size_t end = 0; end < text.size(); ++end) {
    const std::size_t from = end;
    while (end < text.size() && !is_metric_space(text[end])) ++end;
    if (end > from) words.push_back(text.substr(from, end - from));
  }
  return words;
}

void replace_all(std::u32string& text, std::u32string_view find, std::u32string_view with) {
  std::u32string out;
  std::size_t from = 0;
  for (std::size_t found; (found = text.find(find, from)) != text.npos; from = found + find.size())
    out.append(text, from, found - from).append(with);
  if (from > 0) text = out.append(text, from);
}

void undo_xml_escapes(std::u32string& text) {
  if (text.find(U'&') == text.npos) return;
  replace_all(text, U"&quot;", U"\"");
  replace_all(text, U"&amp;", U"&");
  replace_all(text, U"&lt;", U"<");
  replace_all(text, U"&gt;", U">");
}

namespace {

bool is_not_digit(char32_t c) {
  return !text::is_ascii_digit(c);
}
bool is_stop_or_comma(char32_t c) {
  return c == '.' || c == ',';
}

}  // namespace

std::u32string split_western_symbols(std::u32string_view text) {
  // ASCII punctuation except ' , - . and also the space, which changes nothing.
  return space_around(text, [](char32_t c) {
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
           (c >= ':' && c <= '@') || c == '/';
  });
}

std::u32string split_western_numbers(std::u32string_view text) {
  std::u32string out = split_pairs(text, Punctuation::second, is_not_digit, is_stop_or_comma);
  out = split_pairs(out, Punctuation::first, is_stop_or_comma, is_not_digit);
  return split_pairs(out, Punctuation::second, text::is_ascii_digit, [](char32_t c) { return c == '-'; });
}

namespace {

// mteval-v13a.pl, the tokenization of WMT.
std::u32string tokenize_13a(std::u32string_view line) {
  std::u32string text(line);
  replace_all(text, U"<skipped>", U"");
  replace_all(text, U"-\n", U"");
  replace_all(text, U"\n", U" ");
  undo_xml_escapes(text);
  return split_western_numbers(split_western_symbols(U' ' + text + U' '));
}

// mteval-v14.pl --international-tokenization. A full stop after a number at the end of the text is not split off.
std::u32string tokenize_international(std::u32string_view line) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const auto not_number = [&](char32_t c) { return !classes.is(c, text::kNumber); };
  const auto punctuation = [&](char32_t c) { return classes.is(c, text::kPunctuation); };
  std::u32string text = split_pairs(line, Punctuation::second, not_number, punctuation);
  text = split_pairs(text, Punctuation::first, punctuation, not_number);
  return space_around(text, [&](char32_t c) { return classes.is(c, text::kSymbol); });
}

constexpr MetricTokenizer kTokenizers[] = {
    {"13a", tokenize_13a},
    {"intl", tokenize_international},
    {"char", [](std::u32string_view line) { return space_around(line, [](char32_t) { return true; }); }},
    {"none", [](std::u32string_view line) { return std::u32string(line); }},
};

}  // namespace

std::vector<std::string> metric_tokenizer_names() {
  return row_names(kTokenizers);
}

const MetricTokenizer& find_metric_tokenizer(std::string_view name) {
  return find_row(kTokenizers, name, "BLEU has no tokenizer");
}

void TokenizedText::add(std::string_view utf8) {
  for (std::size_t from = 0, end = 0; from < utf8.size(); from = end + 1) {
    end = std::min(utf8.find(' ', from), utf8.size());
    if (end > from && (utf8[end - 1] == '.' || utf8[end - 1] == ',')) ++(end - from == 1 ? apart_ : attached_);
  }
}

}  // namespace heed::metrics
