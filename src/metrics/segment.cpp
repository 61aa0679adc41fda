#include "metrics/segment.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/enum_names.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/utf8.h"
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
    to_lowercase(mapped, "");
    text = mapped.text();
  } else {
    text::decode_utf8(utf8, text);
  }
  while (!text.empty() && is_metric_space(text.back())) text.pop_back();
  return text;
}

std::vector<std::u32string_view> split_words(std::u32string_view text) {
  std::vector<std::u32string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    if (is_metric_space(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && !is_metric_space(text[end])) ++end;
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

void replace_all(std::u32string& text, std::u32string_view what, std::u32string_view by) {
  std::size_t found = text.find(what);
  if (found == text.npos) return;
  std::u32string out;
  std::size_t from = 0;
  for (; found != text.npos; found = text.find(what, from)) {
    out.append(text, from, found - from).append(by);
    from = found + what.size();
  }
  text = out.append(text, from);
}

void undo_xml_escapes(std::u32string& text) {
  if (text.find(U'&') == text.npos) return;
  replace_all(text, U"&quot;", U"\"");
  replace_all(text, U"&amp;", U"&");
  replace_all(text, U"&lt;", U"<");
  replace_all(text, U"&gt;", U">");
}

namespace {

bool is_ascii_digit(char32_t c) {
  return c >= '0' && c <= '9';
}
bool is_no_ascii_digit(char32_t c) {
  return !is_ascii_digit(c);
}
bool is_stop_or_comma(char32_t c) {
  return c == '.' || c == ',';
}

}  // namespace

std::u32string split_western_symbols(std::u32string_view text) {
  // All of ASCII's punctuation but ' , - . and the space too, which changes nothing.
  return space_around(text, [](char32_t c) {
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
           (c >= ':' && c <= '@') || c == '/';
  });
}

std::u32string split_western_numbers(std::u32string_view text) {
  std::u32string out = split_pairs(text, Punctuation::second, is_no_ascii_digit, is_stop_or_comma);
  out = split_pairs(out, Punctuation::first, is_stop_or_comma, is_no_ascii_digit);
  return split_pairs(out, Punctuation::second, is_ascii_digit, [](char32_t c) { return c == '-'; });
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

// mteval-v14.pl --international-tokenization. It knows no text ends: a full stop after a final number stays with it.
std::u32string tokenize_international(std::u32string_view line) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const auto no_number = [&](char32_t c) { return !classes.is(c, text::kNumber); };
  const auto punctuation = [&](char32_t c) { return classes.is(c, text::kPunctuation); };
  std::u32string text = split_pairs(line, Punctuation::second, no_number, punctuation);
  text = split_pairs(text, Punctuation::first, punctuation, no_number);
  return space_around(text, [&](char32_t c) { return classes.is(c, text::kSymbol); });
}

std::u32string tokenize_characters(std::u32string_view line) {
  return space_around(line, [](char32_t) { return true; });
}

std::u32string tokenize_nothing(std::u32string_view line) {
  return std::u32string(line);
}

constexpr MetricTokenizer kTokenizers[] = {
    {"13a", tokenize_13a},
    {"intl", tokenize_international},
    {"char", tokenize_characters},
    {"none", tokenize_nothing},
};

}  // namespace

std::vector<std::string> metric_tokenizer_names() {
  return row_names(kTokenizers);
}

const MetricTokenizer& find_metric_tokenizer(std::string_view name) {
  for (const MetricTokenizer& tokenizer : kTokenizers)
    if (tokenizer.name == name) return tokenizer;
  const std::vector<std::string> names = metric_tokenizer_names();
  throw UsageError("BLEU has no tokenizer {}{} (expected {})", in_quotes(name), did_you_mean(name, names),
                   fmt::join(names, ", "));
}

void TokenizedText::add(std::string_view utf8) {
  std::size_t from = 0;
  while (from < utf8.size()) {
    const std::size_t end = std::min(utf8.find(' ', from), utf8.size());
    if (end > from && (utf8[end - 1] == '.' || utf8[end - 1] == ',')) ++(end - from == 1 ? apart_ : attached_);
    from = end + 1;
  }
}

}  // namespace heed::metrics
