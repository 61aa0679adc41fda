#include "document/segment_queue.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/utf8.h"

namespace heed::document {

namespace {

using text::Mark;
using text::MarkedText;

// Makes a translation valid text on one line with all marks of its source. A mark that got lost is put at the end,
// because without it the document might be damaged.
void complete_translation(const MarkedText& source, MarkedText& translation) {
  if (!is_valid_utf8(translation.text)) translation.text = replace_bad_utf8(translation.text);
  std::ranges::replace(translation.text, '\n', ' ');
  if (source.marks.empty() && translation.marks.empty()) return;
  const auto size = static_cast<std::uint32_t>(utf8_length(translation.text));
  std::map<std::uint32_t, int> counts;
  for (std::size_t i = 0; i < translation.marks.size(); ++i) {
    const Mark& mark = translation.marks[i];
    ++counts[mark.id];
    const text::Span around =
        mark.parent < 0 ? text::Span{0, size} : translation.marks[static_cast<std::size_t>(mark.parent)].span;
    check<InternalError>(mark.parent < static_cast<int>(i) && around.from <= mark.span.from &&
                             mark.span.from <= mark.span.to && mark.span.to <= around.to,
                         "mark {} of a translation does not lie within the one around it", i);
  }
  for (const Mark& mark : source.marks)
    if (counts[mark.id]-- <= 0)
      translation.marks.push_back({.span = {size, size}, .id = mark.id, .parent = -1, .keep = mark.keep});
}

}  // namespace

void SegmentQueue::add(std::string_view text) {
  text_ += text;
  if (text_.size() + bytes_ > std::size_t{4} << 20) flush();
}

void SegmentQueue::add(std::vector<MarkedText> segments, Render render, std::string original) {
  if (segments.empty()) return add(original);
  constexpr std::size_t kSegments = 1024, kBytes = std::size_t{1} << 20;
  units_.push_back({std::exchange(text_, {}), std::move(original), segments.size(), std::move(render)});
  bytes_ += units_.back().before.size() + units_.back().original.size();
  std::ranges::move(segments, std::back_inserter(segments_));
  if (segments_.size() >= kSegments || bytes_ >= kBytes) flush();
}

void SegmentQueue::flush() {
  std::vector<MarkedText> translations;
  if (!segments_.empty()) translations = translate_(segments_);
  check<InternalError>(translations.size() == segments_.size(), "{} segments have {} translations", segments_.size(),
                       translations.size());
  std::size_t at = 0;
  for (const Unit& unit : units_) {
    write_(unit.before);
    const auto part = std::span(translations).subspan(at, unit.segments);
    if (std::ranges::equal(part, std::span(segments_).subspan(at, unit.segments))) {
      write_(unit.original);
    } else {
      for (std::size_t i = 0; i < part.size(); ++i) complete_translation(segments_[at + i], part[i]);
      write_(unit.render(part));
    }
    at += unit.segments;
  }
  write_(text_);
  units_.clear();
  segments_.clear();
  text_.clear();
  bytes_ = 0;
}

LineSegments::LineSegments(const MarkedText& text) : fixed_(1) {
  const std::u32string characters = text::decode_utf8(text.text);
  // `reach` is the end of the marks that have begun so far; a line end before it lies within a mark.
  std::size_t reach = 0, mark = 0, start = 0, first = 0;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    for (; mark < text.marks.size() && text.marks[mark].span.from <= i; ++mark)
      reach = std::max<std::size_t>(reach, text.marks[mark].span.to);
    if (characters[i] != '\n' || reach > i) continue;
    add_line(std::u32string_view(characters).substr(start, i + 1 - start), start,
             std::span(text.marks).subspan(first, mark - first), first);
    start = i + 1;
    first = mark;
  }
  add_line(std::u32string_view(characters).substr(start), start, std::span(text.marks).subspan(first), first);
}

// `start` is the position of the line, `first` the index of its first mark.
void LineSegments::add_line(std::u32string_view line, std::size_t start, std::span<const Mark> marks,
                            std::size_t first) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  std::size_t begin = 0, end = line.size();
  const bool fixed = std::ranges::none_of(line, [&](char32_t c) { return classes.is(c, text::kLetter); });
  if (!fixed) {
    while (classes.is(line[begin], text::kSpace)) ++begin;
    while (classes.is(line[end - 1], text::kSpace)) --end;
  }
  MarkedText segment{text::encode_utf8(line.substr(begin, end - begin))};
  for (Mark mark : marks) {
    const auto clamp = [&](std::size_t at) {
      return static_cast<std::uint32_t>(std::clamp(at, start + begin, start + end) - start - begin);
    };
    mark.span = {clamp(mark.span.from), clamp(mark.span.to)};
    if (mark.parent >= 0) mark.parent -= static_cast<int>(first);
    segment.marks.push_back(mark);
  }
  if (fixed) {
    append(fixed_.back(), segment);
    return;
  }
  std::ranges::replace(segment.text, '\n', ' ');
  fixed_.back().text += text::encode_utf8(line.substr(0, begin));
  segments_.push_back(std::move(segment));
  fixed_.push_back({text::encode_utf8(line.substr(end))});
}

MarkedText LineSegments::join(std::span<const MarkedText> translations) const {
  MarkedText whole = fixed_.front();
  for (std::size_t i = 0; i < translations.size(); ++i) {
    append(whole, translations[i]);
    append(whole, fixed_[i + 1]);
  }
  return whole;
}

bool has_letters(std::string_view text) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  return std::ranges::any_of(text::decode_utf8(text), [&](char32_t c) { return classes.is(c, text::kLetter); });
}

void append(MarkedText& to, const MarkedText& text) {
  const auto shift = static_cast<std::uint32_t>(text.marks.empty() ? 0 : utf8_length(to.text));
  const int first = static_cast<int>(to.marks.size());
  to.text += text.text;
  for (Mark mark : text.marks) {
    mark.span = {mark.span.from + shift, mark.span.to + shift};
    if (mark.parent >= 0) mark.parent += first;
    to.marks.push_back(mark);
  }
}

}  // namespace heed::document
