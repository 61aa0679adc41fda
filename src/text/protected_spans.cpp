#include "text/protected_spans.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "text/span_lists.h"

namespace heed::text {
namespace {

constexpr std::string_view kNames[kSpanKinds] = {"url",      "email", "path",  "number", "date",
                                                 "quantity", "code",  "emoji", "tag",    "placeholder"};

constexpr std::u32string_view kSeparators = U".,:/'’\u00A0\u2009\u202F";  // between digits

bool is_any_of(char32_t c, std::u32string_view set) {
  return c != 0 && set.find(c) != set.npos;
}
bool is_ascii_alnum(char32_t c) {
  return is_ascii_letter(c) || is_ascii_digit(c);
}
bool is_ascii_upper(char32_t c) {
  return c >= 'A' && c <= 'Z';
}
// Whether letters of this script next to a number need not belong to it, roughly: scripts without spaces, and Hangul,
// whose particles follow a number directly.
bool is_unspaced_script(char32_t c) {
  return c >= 0x2E80 || (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF);
}

// Notes, as around the songs in subtitles.
bool is_note(char32_t c) {
  return c >= U'♩' && c <= U'♬';
}

// Reads the text once. At each character the rules are tried in order; a rule returns the end of the span, or where it
// started if it does not apply. To keep this linear, a rule that fails must not read what later attempts read again: it
// stops at the end of a word, at the next character that could start the same rule, or after some characters.
class Scanner {
 public:
  explicit Scanner(std::u32string_view text) : text_(text) {}

  std::vector<ProtectedSpan> scan() {
    for (std::size_t i = 0; i < text_.size();) {
      const std::size_t end = match(i);
      if (end > i) found_.push_back({kind_, {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(end)}});
      i = end > i ? end : skip(i);
    }
    return std::move(found_);
  }

 private:
  char32_t at(std::size_t i) const { return i < text_.size() ? text_[i] : 0; }
  bool is(std::size_t i, unsigned classes) const { return i < text_.size() && classes_.is(text_[i], classes); }
  bool is_digit(std::size_t i) const { return is(i, kDecimal); }
  // Whether a character would make the number beside it part of a word.
  bool is_word(std::size_t i) const {
    return i < text_.size() && (text_[i] == '_' || is_digit(i) ||
                                (classes_.is(text_[i], kAlphabetic | kNonspacing) && !is_unspaced_script(text_[i])));
  }
  bool starts_word(std::size_t i) const { return i == 0 || !is_word(i - 1); }
  bool starts_with(std::size_t i, std::u32string_view what) const { return text_.substr(i).starts_with(what); }
  template <class Test>
  std::size_t end_of(std::size_t i, Test test) const {
    while (i < text_.size() && test(i)) ++i;
    return i;
  }
  std::size_t end_of_name(std::size_t i) const {
    return end_of(i, [&](std::size_t k) { return is_ascii_alnum(text_[k]) || text_[k] == '_'; });
  }

  std::size_t match(std::size_t i);
  std::size_t skip(std::size_t i) const;
  std::size_t code(std::size_t i);
  std::size_t url(std::size_t i);
  std::size_t end_of_url(std::size_t i) const;
  std::size_t address(std::size_t i);
  bool is_email(std::u32string_view run) const;
  bool is_path(std::u32string_view run) const;
  bool is_domain(std::u32string_view run) const;
  std::size_t tag(std::size_t i);
  std::size_t placeholder(std::size_t i);
  std::size_t braces(std::size_t i);
  std::size_t end_of_braces(std::size_t i);
  std::size_t percent(std::size_t i) const;
  std::size_t number(std::size_t i);
  std::size_t digits_and_separators(std::size_t i) const;
  std::size_t date(std::size_t i) const;
  std::size_t unit(std::size_t i) const;
  std::size_t emoji(std::size_t i);

  std::u32string_view text_;
  const CharacterClasses& classes_ = CharacterClasses::get();
  SpanKind kind_ = SpanKind::url;  // of the last match
  std::vector<ProtectedSpan> found_;
  std::vector<std::uint32_t> pairs_;  // for each opening brace the position after the closing one; 0: none
};

std::size_t Scanner::match(std::size_t i) {
  using Rule = std::size_t (Scanner::*)(std::size_t);
  const auto attempt = [&](SpanKind kind, Rule rule) {
    kind_ = kind;  // a rule for several kinds changes it
    return (this->*rule)(i);
  };
  const char32_t c = text_[i];
  std::size_t end = i;
  if (c == '`') return attempt(SpanKind::code, &Scanner::code);
  if (c == '<') return attempt(SpanKind::tag, &Scanner::tag);
  if (is_ascii_letter(c)) end = attempt(SpanKind::url, &Scanner::url);
  if (end == i) end = attempt(SpanKind::path, &Scanner::address);
  if (end == i && is_any_of(c, U"{%$#")) end = attempt(SpanKind::placeholder, &Scanner::placeholder);
  if (end == i && (c > 0x2000 || at(i + 1) == 0xFE0F)) end = attempt(SpanKind::emoji, &Scanner::emoji);
  if (end == i && (is_digit(i) || is_any_of(c, U"+-−") || is(i, kCurrency)))
    end = attempt(SpanKind::number, &Scanner::number);
  return end;
}

// The position after the rest of the word, including what looks like a version: "v1.2".
std::size_t Scanner::skip(std::size_t i) const {
  if (!is_word(i)) return i + 1;
  const auto joins = [&] { return is_any_of(at(i), kSeparators) && !is(i, kSpace) && is_digit(i + 1); };
  while (is_word(i) || joins()) ++i;
  return i;
}

std::size_t Scanner::code(std::size_t i) {
  const auto run = [&](std::size_t k) { return end_of(k, [&](std::size_t j) { return text_[j] == '`'; }) - k; };
  if (i > 0 && text_[i - 1] == '`') return i;
  const std::size_t length = run(i);
  if (length > 3) return i;
  for (std::size_t k = i + length; k < text_.size(); ++k) {
    if (text_[k] != '`') continue;
    const std::size_t closing = run(k);
    if (closing == length) return k + length;
    k += closing;
  }
  return i;  // only for the last run of each length, so at most three times
}

// A URL with a scheme, or one that starts with "www." or "mailto:".
std::size_t Scanner::url(std::size_t i) {
  constexpr std::size_t kLongestScheme = 20;
  if (i > 0 && is_ascii_alnum(text_[i - 1])) return i;
  if (starts_with(i, U"www.") && is_ascii_alnum(at(i + 4))) return end_of_url(i);
  if (starts_with(i, U"mailto:") && is_ascii_alnum(at(i + 7))) return end_of_url(i);
  std::size_t k = i;
  while (k < i + kLongestScheme && (is_ascii_alnum(at(k)) || is_any_of(at(k), U"+.-"))) ++k;
  return starts_with(k, U"://") && (is_word(k + 3) || at(k + 3) == '/') ? end_of_url(i) : i;
}

// A sentence's punctuation after a URL is not part of it, nor is a closing bracket that was not opened in it.
std::size_t Scanner::end_of_url(std::size_t i) const {
  std::size_t opened = 0, end = i;
  for (std::size_t k = i; k < text_.size(); ++k) {
    const char32_t c = text_[k];
    if (c == '(') ++opened;
    if (c == ')' && opened-- == 0) break;
    if (!is_word(k) && !is_any_of(c, U"-._~:/?#[]@!$&'()*+,;=%")) break;
    if (is_word(k) || is_any_of(c, U"/=#&-~%+*$@)")) end = k + 1;
  }
  return end;
}

// E-mail addresses, file names and domains: a run of the characters that occur in them is classified as a whole.
std::size_t Scanner::address(std::size_t i) {
  const auto in_run = [&](std::size_t k) { return is_word(k) || is_any_of(text_[k], U".-+~/*@\\:%"); };
  if (!in_run(i) || (i > 0 && in_run(i - 1))) return i;
  std::size_t end = end_of(i, in_run);
  while (end > i && is_any_of(text_[end - 1], U".-+~*@:%")) --end;
  const std::u32string_view run = text_.substr(i, end - i);
  if (run.size() < 3) return i;
  if (is_email(run)) {
    kind_ = SpanKind::email;
    return end;
  }
  if (is_path(run)) return end;
  if (!is_domain(run)) return i;
  kind_ = SpanKind::url;
  return end_of_url(i);
}

bool Scanner::is_email(std::u32string_view run) const {
  const std::size_t sign = run.find(U'@');
  if (sign == run.npos || sign == 0) return false;
  const std::u32string_view domain = run.substr(sign + 1);
  const std::size_t dot = domain.rfind(U'.');
  const auto is_name = [](std::u32string_view name, std::u32string_view signs) {
    return !name.empty() &&
           std::ranges::all_of(name, [&](char32_t c) { return is_any_of(c, signs) || is_ascii_alnum(c) || c >= 0x80; });
  };
  return dot != domain.npos && dot > 0 && domain.size() - dot > 2 && is_name(run.substr(0, sign), U".-+_%~") &&
         is_name(domain.substr(0, dot), U".-") && is_name(domain.substr(dot + 1), U"");
}

bool Scanner::is_path(std::u32string_view run) const {
  const auto is_name = [&](std::size_t k) {
    return k < run.size() && (is_any_of(run[k], U".~_*") || classes_.is(run[k], kAlphabetic | kDecimal));
  };
  for (const std::u32string_view root : {U"/", U"~/", U"./", U"../", U"\\\\"})
    if (run.starts_with(root)) return is_name(root.size());
  if (is_ascii_letter(run[0]) && run[1] == ':' && is_any_of(run[2], U"/\\")) return run[2] == '\\' || is_name(3);
  if (run[0] == '%') {  // %APPDATA%\…
    const std::size_t sign = run.find(U'%', 1);
    return sign != run.npos && sign + 1 < run.size() && run[sign + 1] == '\\';
  }
  const std::size_t name = run.find_last_of(U"/\\"), dot = run.rfind(U'.');
  const std::size_t stem = name == run.npos ? 0 : name + 1;
  if (dot == run.npos || dot <= stem || run.find_first_of(U":@%") != run.npos) return false;
  return is_file_extension(run.substr(dot + 1)) && (run.size() - dot > 2 || dot - stem > 1);  // not just letter.letter
}

bool Scanner::is_domain(std::u32string_view run) const {
  const std::u32string_view host = run.substr(0, std::min(run.find_first_of(U"/:"), run.size()));
  const std::size_t dot = host.rfind(U'.');
  return dot != host.npos && dot > 0 && is_top_level_domain(host.substr(dot + 1)) &&
         std::ranges::all_of(host, [](char32_t c) { return is_ascii_alnum(c) || c == '.' || c == '-'; });
}

std::size_t Scanner::tag(std::size_t i) {
  const std::size_t name = i + (at(i + 1) == '/' ? 2 : 1);
  if (!is_ascii_letter(at(name))) return i;
  std::size_t k = end_of(name, [&](std::size_t j) { return is_ascii_alnum(text_[j]) || is_any_of(text_[j], U":_-"); });
  if (!is_any_of(at(k), U" \t/>")) return i;
  k = end_of(k, [&](std::size_t j) { return text_[j] != '<' && text_[j] != '>'; });
  return at(k) == '>' ? k + 1 : i;
}

std::size_t Scanner::placeholder(std::size_t i) {
  if (text_[i] == '{') return braces(i);
  if (text_[i] == '%') return percent(i);
  if (at(i + 1) == '{') {  // ${x}, #{x}
    const std::size_t end = end_of(i + 2, [&](std::size_t k) { return text_[k] != '{' && text_[k] != '}'; });
    return at(end) == '}' && end > i + 2 ? end + 1 : i;
  }
  if (text_[i] != '$' || at(i + 1) != '(') return i;
  const std::size_t end = end_of_name(i + 2);
  return at(end) == ')' && end > i + 2 ? end + 1 : i;
}

// The position after the brace that closes the one at i; 0 if there is none.
std::size_t Scanner::end_of_braces(std::size_t i) {
  if (pairs_.empty()) {
    pairs_.resize(text_.size());
    std::vector<std::size_t> open;
    for (std::size_t k = i; k < text_.size(); ++k) {
      if (text_[k] == '{') open.push_back(k);
      if (text_[k] != '}' || open.empty()) continue;
      pairs_[open.back()] = static_cast<std::uint32_t>(k + 1);
      open.pop_back();
    }
  }
  return pairs_[i];
}

// A name, optionally with a format after a colon or an exclamation mark; an ICU message; anything in double braces; a
// template tag {% … %}. Anything else in braces is ordinary text.
std::size_t Scanner::braces(std::size_t i) {
  const std::size_t end = end_of_braces(i);
  if (end == 0) return i;
  const auto closes = [&](std::size_t k) { return k + 1 == end; };
  const auto no_brace = [&](std::size_t k) { return text_[k] != '{' && text_[k] != '}'; };
  if (at(i + 1) == '{' && end_of_braces(i + 1) == end - 1)
    return end_of(i + 2, no_brace) == end - 2 && end > i + 4 ? end : i;
  if (at(i + 1) == '%' && text_[end - 2] == '%' && end > i + 4) return end_of(i + 2, no_brace) == end - 1 ? end : i;
  std::size_t k = end_of(i + 1, [&](std::size_t j) { return text_[j] == ' '; });
  k = end_of(k, [&](std::size_t j) { return is_ascii_alnum(text_[j]) || is_any_of(text_[j], U"_.$@#[]-"); });
  if (closes(k)) return end;
  if (is_any_of(text_[k], U":!")) {
    k = end_of(k, [&](std::size_t j) { return no_brace(j) && text_[j] != ' '; });
    return closes(k) ? end : i;
  }
  const auto is_space = [&](std::size_t j) { return text_[j] == ' '; };
  k = end_of(k, is_space);
  if (closes(k)) return end;
  if (text_[k] != ',' || k == i + 1) return i;
  k = end_of(k + 1, is_space);
  const std::size_t type = end_of(k, [&](std::size_t j) { return is_ascii_letter(text_[j]); });
  return is_message_type(text_.substr(k, type - k)) ? end : i;
}

std::size_t Scanner::percent(std::size_t i) const {
  // After a number a percentage, unless a format follows directly: "3%s".
  if (i > 0 && is_digit(i - 1) && !is_ascii_letter(at(i + 1))) return i;
  const auto ends_here = [&](std::size_t k) { return !is_word(k); };
  if (at(i + 1) == '%') return i + 2;
  std::size_t k = i + 1;
  if (is_any_of(at(k), U"({")) {  // %(name)s, %{name}
    const std::size_t name = end_of_name(k + 1);
    if (name == k + 1 || at(name) != (text_[k] == '(' ? U')' : U'}')) return i;
    k = name + 1;
    return is_ascii_letter(at(k)) && text_[name] == ')' ? k + 1 : k;
  }
  if (is_ascii_upper(at(k)) && is_ascii_upper(at(k + 1))) {  // %PRODUCTNAME, %APPDATA%
    k = end_of(k,
               [&](std::size_t j) { return is_ascii_upper(text_[j]) || is_ascii_digit(text_[j]) || text_[j] == '_'; });
    if (at(k) == '%') return k + 1;
    return ends_here(k) ? k : i;
  }
  const auto is_ascii_digit_at = [&](std::size_t j) { return is_ascii_digit(text_[j]); };
  const std::size_t number = end_of(k, is_ascii_digit_at);
  if (at(number) == '$' && number > k) k = number + 1;  // %1$d
  k = end_of(k, [&](std::size_t j) { return is_any_of(text_[j], U"-+#0'"); });
  const std::size_t width = end_of(k, is_ascii_digit_at);
  if (width > k && ends_here(width) && at(width) != '.') return width;  // %1
  k = at(width) == '*' ? width + 1 : width;
  if (at(k) == '.') k = end_of(k + 1, is_ascii_digit_at);
  for (int n = 0; n < 2 && is_any_of(at(k), U"hlLqjzt"); ++n) ++k;
  if (is_any_of(at(k), U"diouxXeEfFgGaAcspn@") && ends_here(k + 1)) return k + 1;
  return number > i + 1 && number <= i + 3 && at(number) != '$' && starts_word(i) ? number : i;  // %1bold%2
}

std::size_t Scanner::digits_and_separators(std::size_t i) const {
  const auto digits = [&](std::size_t k) { return is_digit(k); };
  i = end_of(i, digits);
  while (is_any_of(at(i), kSeparators) && is_digit(i + 1)) i = end_of(i + 1, digits);
  return i;
}

// A date with hyphens, 2024-12-31 or 31-12-2024, optionally with a time after a T.
std::size_t Scanner::date(std::size_t i) const {
  const auto digits = [&](std::size_t k) { return end_of(k, [&](std::size_t j) { return is_digit(j); }); };
  const std::size_t first = digits(i), second = digits(first + 1), third = digits(second + 1);
  if (at(first) != '-' || at(second) != '-' || first - i > 4 || second - first != 3) return i;
  if (third == second + 1 || third - second > 5 || (first - i == 4) == (third - second == 5)) return i;
  if (at(third) != 'T' || !is_digit(third + 1)) return third;
  const std::size_t time = digits_and_separators(third + 1);
  if (at(time) == 'Z') return time + 1;
  return is_any_of(at(time), U"+-") && is_digit(time + 1) ? digits_and_separators(time + 1) : time;
}

// The end of a unit symbol at i, which may follow a space; i if there is none.
std::size_t Scanner::unit(std::size_t i) const {
  const std::size_t from = i + (is_any_of(at(i), U" \u00A0\u202F\u2009") ? 1 : 0);
  std::size_t end = from;
  while (end < from + kLongestUnit && (is_word(end) || is_any_of(at(end), U"%‰°′″²³µ/") || is(end, kCurrency))) ++end;
  for (; end > from; --end)
    if (!is_word(end) && is_unit(text_.substr(from, end - from), from > i)) return end;
  return i;
}

std::size_t Scanner::number(std::size_t i) {
  if (!starts_word(i)) return i;
  std::size_t from = i;
  if (is_any_of(text_[from], U"+-−")) ++from;
  const bool has_currency = is(from, kCurrency);
  if (has_currency) ++from;
  if (!is_digit(from)) return i;
  std::size_t end = date(from);
  const bool is_date = end > from;
  if (!is_date) end = digits_and_separators(from);
  if (starts_with(end, U"%%")) {  // a percentage of a format string
    kind_ = SpanKind::placeholder;
    return end + 2;
  }
  const std::size_t quantity = unit(end);
  if (quantity > end && !is_date) {
    kind_ = SpanKind::quantity;
    return quantity;
  }
  if (is_word(end)) return i;
  const std::u32string_view digits = text_.substr(from, end - from);
  const auto count = [&](char32_t c) { return std::ranges::count(digits, c); };
  if (is_date || count(':') > 0 || ((count('.') == 2 || count('/') == 2) && digits.size() >= 6 && digits.size() <= 10))
    kind_ = SpanKind::date;
  if (has_currency) kind_ = SpanKind::quantity;
  return end;
}

// Emoji in a row: with variation selectors, skin tones, joiners, flags and keycaps.
std::size_t Scanner::emoji(std::size_t i) {
  const auto has = [&](std::size_t k, UProperty property) {
    return k < text_.size() && u_hasBinaryProperty(static_cast<UChar32>(text_[k]), property) != 0;
  };
  std::size_t end = i;
  for (;;) {
    std::size_t k = end;
    if (at(k + 1) == 0xFE0F && has(k, UCHAR_EMOJI))
      k += at(k + 2) == 0x20E3 ? 3 : 2;
    else if (has(k, UCHAR_REGIONAL_INDICATOR) && has(k + 1, UCHAR_REGIONAL_INDICATOR))
      k += 2;
    else if (has(k, UCHAR_EMOJI_PRESENTATION) || is_note(at(k)))
      ++k;
    else
      return end;
    const auto continues = [&](std::size_t j) {
      return text_[j] == 0xFE0F || (text_[j] >= 0xE0020 && text_[j] <= 0xE007F) || has(j, UCHAR_EMOJI_MODIFIER);
    };
    k = end_of(k, continues);
    while (at(k) == 0x200D && has(k + 1, UCHAR_EXTENDED_PICTOGRAPHIC)) k = end_of(k + 2, continues);
    end = k;
  }
}

}  // namespace

std::string_view name_of(SpanKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<ProtectedSpan> find_protected_spans(std::u32string_view text) {
  return Scanner(text).scan();
}

std::u32string numeric_key(std::u32string_view text) {
  const CharacterClasses& classes = CharacterClasses::get();
  std::u32string digits, others;
  for (const char32_t c : text) {
    if (const int value = digit_value(c); value >= 0)
      digits += static_cast<char32_t>('0' + value);
    else if (classes.is(c, kAlphabetic | kSymbol) || is_any_of(c, U"%‰°-−"))
      others += c == U'−' ? U'-' : c;
  }
  std::ranges::sort(others);
  return digits + others;
}

}  // namespace heed::text
