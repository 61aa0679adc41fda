#include "viz/label.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/utf8.h"
#include "text/char_width.h"
#include "text/unicode.h"

namespace heed::viz {
namespace {

// A character joined to an emoji takes no columns.
std::size_t columns_of(char32_t c, char32_t previous) {
  constexpr char32_t kJoiner = 0x200D;
  return previous == kJoiner ? 0 : text::terminal_columns(c);
}

// The width in a typical sans-serif font, estimated generously.
double ems_of(char32_t c, char32_t previous) {
  const std::size_t columns = columns_of(c, previous);
  if (columns == 0) return 0;
  if (columns == 2) return c >= 0x1F000 ? 1.3 : 1.02;
  if (c >= 0x1F1E6 && c <= 0x1F1FF) return 0.65;  // half a flag
  if (c >= 0x80) return c < 0x250 ? 0.62 : 0.72;
  constexpr std::string_view kNarrow = "ijl.,:;'|!I", kSlim = "frt()[]{}-/\\\" J1", kBroad = "mMW@w%";
  const char ascii = static_cast<char>(c);
  if (kNarrow.find(ascii) != kNarrow.npos) return 0.33;
  if (kSlim.find(ascii) != kSlim.npos) return 0.43;
  if (kBroad.find(ascii) != kBroad.npos) return 0.92;
  return c >= 'A' && c <= 'Z' ? 0.71 : 0.61;
}

template <class Number, class Measure>
Number width_of(std::u32string_view text, Measure measure) {
  Number sum = 0;
  for (std::size_t i = 0; i < text.size(); ++i) sum += measure(text[i], i == 0 ? 0 : text[i - 1]);
  return sum;
}

template <class Number, class Measure>
std::string shortened(std::string_view utf8, Number most, Number ellipsis, Measure measure) {
  const std::u32string text = text::decode_utf8(utf8);
  if (width_of<Number>(text, measure) <= most) return std::string(utf8);
  std::string shorter;
  Number sum = ellipsis;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((sum += measure(text[i], i == 0 ? 0 : text[i - 1])) > most) break;
    text::append_utf8(shorter, text[i]);
  }
  return shorter + "…";
}

}  // namespace

std::string clean_label(std::string_view text) {
  return text.empty() ? "∅" : printable(text, std::string_view::npos);
}

std::vector<std::string> clean_labels(std::span<const text::Token> tokens) {
  std::vector<std::string> clean;
  clean.reserve(tokens.size());
  for (const text::Token& token : tokens) clean.push_back(clean_label(token.text));
  return clean;
}

double em_width(std::string_view text) {
  return width_of<double>(text::decode_utf8(text), ems_of);
}

std::string shorten_to_ems(std::string_view text, double ems) {
  return shortened<double>(text, ems, 1, ems_of);
}

std::size_t terminal_columns(std::string_view text) {
  return width_of<std::size_t>(text::decode_utf8(text), columns_of);
}

std::string shorten_to_columns(std::string_view text, std::size_t columns) {
  return shortened<std::size_t>(text, columns, 1, columns_of);
}

std::string escape_markup(std::string_view text) {
  constexpr std::pair<char, std::string_view> kEntities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string escaped;
  for (const char c : text) {
    const auto* const found = std::ranges::find(kEntities, c, &std::pair<char, std::string_view>::first);
    escaped += found == std::end(kEntities) ? std::string_view(&c, 1) : found->second;
  }
  return escaped;
}

}  // namespace heed::viz
