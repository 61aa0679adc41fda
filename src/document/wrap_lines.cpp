#include "document/wrap_lines.h"

#include <algorithm>
#include <string>
#include <vector>

#include "text/char_width.h"

namespace heed::document {

namespace {

struct LineBreaks {
  std::u32string text;
  std::vector<std::size_t> width;    // of the text before each character; last: of the whole text
  std::vector<std::size_t> allowed;  // positions before which a line may end, sorted
};

LineBreaks find_line_breaks(const std::string& utf8) {
  LineBreaks found{.text = text::decode_utf8(utf8), .width = {0}, .allowed = {}};
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const auto is_ideograph = [&](char32_t c) {
    return c >= 0x2E80 && classes.is(c, text::kLetter) && text::terminal_columns(c) == 2;
  };
  const std::u32string& text = found.text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    found.width.push_back(found.width.back() + text::terminal_columns(text[i]));
    const bool between = i > 0 && i + 1 < text.size();
    if (between && (text[i] == ' ' || (is_ideograph(text[i]) && is_ideograph(text[i - 1])))) found.allowed.push_back(i);
  }
  return found;
}

// Fills lines of at most `width` columns greedily. False if that takes more than `lines` lines or a word is wider.
bool break_lines(const LineBreaks& breaks, std::size_t width, std::size_t lines, std::vector<std::size_t>& ends) {
  ends.clear();
  std::size_t start = 0, last = 0;
  const auto fits = [&](std::size_t end) { return breaks.width[end] - breaks.width[start] <= width; };
  const auto end_line = [&] {
    ends.push_back(last);
    start = breaks.text[last] == ' ' ? last + 1 : last;
  };
  for (const std::size_t at : breaks.allowed) {
    if (!fits(at) && last > start) end_line();
    if (!fits(at)) return false;
    last = at;
  }
  if (!fits(breaks.text.size()) && last > start) end_line();
  return fits(breaks.text.size()) && ends.size() < lines;
}

}  // namespace

text::MarkedText wrap_lines(const text::MarkedText& text, std::size_t lines) {
  const LineBreaks breaks = find_line_breaks(text.text);
  std::vector<std::size_t> ends, best;
  std::size_t low = 0, high = breaks.width.back();  // too narrow, wide enough
  while (lines > 1 && low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (break_lines(breaks, middle, lines, ends)) {
      high = middle;
      best = ends;
    } else {
      low = middle;
    }
  }
  text::MarkedText wrapped{{}, text.marks};
  std::size_t next = 0;
  std::vector<std::uint32_t> shift(breaks.text.size() + 1);
  for (std::size_t i = 0, inserted = 0; i <= breaks.text.size(); ++i) {
    shift[i] = static_cast<std::uint32_t>(inserted);
    if (i == breaks.text.size()) break;
    const bool ends_line = next < best.size() && best[next] == i;
    if (ends_line) ++next, wrapped.text += '\n';
    if (ends_line && breaks.text[i] == ' ') continue;
    if (ends_line) shift[i] = static_cast<std::uint32_t>(++inserted);
    text::append_utf8(wrapped.text, breaks.text[i]);
  }
  for (text::Mark& mark : wrapped.marks) {
    mark.span.from += shift[mark.span.from];
    mark.span.to += shift[mark.span.to];
  }
  return wrapped;
}

std::size_t widest_line(const text::MarkedText& text) {
  std::size_t widest = 0, width = 0;
  for (const char32_t c : text::decode_utf8(text.text)) {
    width = c == '\n' ? 0 : width + text::terminal_columns(c);
    widest = std::max(widest, width);
  }
  return widest;
}

}  // namespace heed::document
