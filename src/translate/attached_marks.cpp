#include "translate/attached_marks.h"

#include <algorithm>

namespace heed::translate {
namespace {

bool is_any_of(char32_t c, std::u32string_view set) {
  return set.find(c) != set.npos;
}

// "1", "[12]", "(a)", "1,2", "*": digits and symbols; a single letter only in brackets.
bool is_reference(std::u32string_view text) {
  constexpr std::size_t kLongest = 12;
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  if (text.empty() || text.size() > kLongest || text.front() == ' ' || text.back() == ' ') return false;
  std::size_t letters = 0, others = 0;
  for (const char32_t c : text) {
    if (classes.is(c, text::kNumber) || is_any_of(c, U"*†‡§¶#®™©"))
      ++others;
    else if (classes.is(c, text::kLetter))
      ++letters;
    else if (!is_any_of(c, U"[](),;.:-– "))
      return false;
  }
  return letters + others > 0 && (letters == 0 || (letters == 1 && is_any_of(text[0], U"[(")));
}

// Whether a reference may follow this text directly: after a word or the end of a clause, but not within a number.
bool may_have_reference(std::u32string_view before) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  if (before.empty()) return false;
  if (classes.is(before.back(), text::kLetter | text::kNumber)) return true;
  const bool after_digit = before.size() > 1 && classes.is(before[before.size() - 2], text::kNumber);
  return is_any_of(before.back(), U"!?)]}\"'”’»…%。！？") || (is_any_of(before.back(), U".,;:") && !after_digit);
}

}  // namespace

void insert_at_marks(text::MarkedText& target, const InsertAtMark& insert) {
  const std::u32string old_text = text::decode_utf8(target.text);
  std::u32string text;
  std::uint32_t copied = 0, added = 0;  // characters copied from the old text, characters inserted
  std::vector<std::size_t> open;        // marks around the current one, which grow with what is inserted
  const auto close = [&] {
    target.marks[open.back()].span.to += added;
    open.pop_back();
  };
  for (std::size_t i = 0; i < target.marks.size(); ++i) {
    text::Mark& mark = target.marks[i];
    const std::uint32_t at = mark.span.from;
    while (!open.empty() && static_cast<int>(open.back()) != mark.parent) close();
    const bool has_inner = i + 1 < target.marks.size() && target.marks[i + 1].parent == static_cast<int>(i);
    if (mark.span.to != at || has_inner) {
      mark.span.from += added;
      open.push_back(i);
      continue;
    }
    text += old_text.substr(copied, at - copied);
    copied = at;
    const MarkInsertion inserted =
        insert(mark, text.empty() ? U'\0' : text.back(), at < old_text.size() ? old_text[at] : U'\0');
    text += inserted.before;
    mark.span.from = static_cast<std::uint32_t>(text.size());
    text += inserted.inside;
    mark.span.to = static_cast<std::uint32_t>(text.size());
    text += inserted.after;
    added = static_cast<std::uint32_t>(text.size()) - at;
  }
  while (!open.empty()) close();
  if (added == 0) return;
  text += old_text.substr(copied);
  target.text = text::encode_utf8(text);
}

AttachedMarks::AttachedMarks(const text::MarkedText& source) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const auto covers = [](const text::Mark& mark) { return mark.span.from < mark.span.to; };
  if (std::ranges::none_of(source.marks, covers)) {
    text_ = source;
    return;
  }
  const std::u32string text = text::decode_utf8(source.text);
  std::u32string rest;
  std::vector<std::uint32_t> positions(text.size() + 1);  // in `rest`, of each character of the text
  std::uint32_t copied = 0;
  const auto copy_to = [&](std::uint32_t end) {
    for (; copied < end; ++copied) {
      positions[copied] = static_cast<std::uint32_t>(rest.size());
      rest += text[copied];
    }
  };
  for (std::size_t i = 0; i < source.marks.size(); ++i) {
    const text::Mark& mark = source.marks[i];
    const auto [from, to] = mark.span;
    if (from < copied || from == to) continue;
    const auto content = std::u32string_view(text).substr(from, to - from);
    // No letter or digit may follow directly, unless another mark begins there, such as the next reference.
    const bool ends = to == text.size() || !classes.is(text[to], text::kLetter | text::kNumber) ||
                      std::ranges::binary_search(source.marks, to, {}, [](const text::Mark& m) { return m.span.from; });
    if (!ends || !is_reference(content)) continue;
    copy_to(from);
    if (!may_have_reference(rest)) continue;
    references_[mark.id] = {.text = std::u32string(content), .inside = {}, .keep = mark.keep};
    for (; copied < to; ++copied) positions[copied] = static_cast<std::uint32_t>(rest.size());
  }
  copy_to(static_cast<std::uint32_t>(text.size()));
  positions.back() = static_cast<std::uint32_t>(rest.size());
  text_.text = references_.empty() ? source.text : text::encode_utf8(rest);
  set_marks(source, positions);
}

// `positions`: of each character of the source in the text without references.
void AttachedMarks::set_marks(const text::MarkedText& source, const std::vector<std::uint32_t>& positions) {
  const std::vector<text::Mark>& marks = source.marks;
  std::vector<int> index(marks.size()), owner(marks.size(), -1);  // new index, and the reference around it
  for (std::size_t i = 0; i < marks.size(); ++i) {
    text::Mark mark = marks[i];
    const auto parent = static_cast<std::size_t>(mark.parent);
    if (mark.parent >= 0)
      owner[i] = owner[parent] < 0 && references_.contains(marks[parent].id) ? mark.parent : owner[parent];
    if (owner[i] >= 0) {
      const text::Mark& around = marks[static_cast<std::size_t>(owner[i])];
      std::vector<text::Mark>& inside = references_[around.id].inside;
      mark.span = {mark.span.from - around.span.from, mark.span.to - around.span.from};
      mark.parent = mark.parent == owner[i] ? -1 : index[parent];
      index[i] = static_cast<int>(inside.size());
      inside.push_back(mark);
      continue;
    }
    const bool is_cut = references_.contains(mark.id);
    mark.span = {positions[mark.span.from], positions[is_cut ? mark.span.from : mark.span.to]};
    if (mark.parent >= 0) mark.parent = index[parent];
    mark.keep = mark.keep && !is_cut;
    index[i] = static_cast<int>(text_.marks.size());
    text_.marks.push_back(mark);
  }
}

text::MarkedText AttachedMarks::restored(text::MarkedText translation) const {
  if (references_.empty()) return translation;
  insert_at_marks(translation, [&](const text::Mark& mark, char32_t, char32_t) {
    const auto found = references_.find(mark.id);
    return found == references_.end() ? MarkInsertion() : MarkInsertion{.inside = found->second.text};
  });
  std::vector<text::Mark> marks;
  std::vector<int> index;  // the new indices of the marks
  for (text::Mark mark : translation.marks) {
    if (mark.parent >= 0) mark.parent = index[static_cast<std::size_t>(mark.parent)];
    const int own_index = static_cast<int>(marks.size());
    index.push_back(own_index);
    const auto found = references_.find(mark.id);
    mark.keep = mark.keep || (found != references_.end() && found->second.keep);
    marks.push_back(mark);
    if (found == references_.end()) continue;
    for (text::Mark inner : found->second.inside) {
      inner.span = {inner.span.from + mark.span.from, inner.span.to + mark.span.from};
      inner.parent = inner.parent < 0 ? own_index : own_index + 1 + inner.parent;
      marks.push_back(inner);
    }
  }
  translation.marks = std::move(marks);
  return translation;
}

}  // namespace heed::translate
