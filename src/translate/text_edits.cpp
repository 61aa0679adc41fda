#include "translate/text_edits.h"

#include <algorithm>

namespace heed::translate {
namespace {

// A letter or digit of a script that separates words by spaces.
bool needs_space(char32_t c) {
  return text::CharacterClasses::get().is(c, text::kLetter | text::kNumber) && c < 0x2E80;
}

}  // namespace

TextEdits::TextEdits(std::u32string_view old_text, std::vector<TextEdit> edits) : edits_(std::move(edits)) {
  std::ranges::stable_sort(edits_, {}, [](const TextEdit& edit) { return std::pair(edit.at.from, edit.at.to); });
  std::uint32_t done = 0;    // characters of the old text
  bool wants_space = false;  // after the previous edit
  const auto here = [&] { return static_cast<std::uint32_t>(text_.size()); };
  for (std::size_t i = 0; i < edits_.size(); ++i) {
    TextEdit& edit = edits_[i];
    Reach reach{.old_text = edit.at};
    const bool ends_text = edit.at.to == old_text.size();
    const char32_t next = ends_text ? U' ' : old_text[edit.at.to];
    if (edit.text.empty()) {  // "a X b" becomes "a b", "X a" becomes "a", "a X." becomes "a."
      const bool space_in_front = edit.at.from > done && old_text[edit.at.from - 1] == ' ';
      if (space_in_front && !needs_space(next))
        --reach.old_text.from;
      else if (text_.empty() && edit.at.from == done && !ends_text && next == ' ' &&
               (i + 1 == edits_.size() || edits_[i + 1].at.from > edit.at.to))
        ++reach.old_text.to;
    }
    wants_space = wants_space && reach.old_text.from == done && i > 0;
    text_ += old_text.substr(done, reach.old_text.from - done);
    reach.new_text.from = here();
    if (!edit.text.empty()) {
      const bool inserts = edit.at.from == edit.at.to;
      const char32_t last = text_.empty() ? U' ' : text_.back();
      const bool opening = last == '(' || last == '[' || last == '{' || last == U'„' || last == U'“' || last == U'«';
      if (last != ' ' &&
          (wants_space || (inserts ? edit.space_before && !opening : needs_space(last) && needs_space(edit.text[0]))))
        text_ += ' ';
      edit.result.from = here();
      text_ += edit.text;
      edit.result.to = here();
      if (needs_space(next) && (inserts ? edit.space_after : needs_space(edit.text.back()))) text_ += ' ';
      wants_space = inserts && edit.space_after;
    } else {
      edit.result = {here(), here()};
    }
    reach.new_text.to = here();
    reaches_.push_back(reach);
    done = reach.old_text.to;
  }
  text_ += old_text.substr(done);
}

std::uint32_t TextEdits::after(std::uint32_t position) const {
  const auto next = std::ranges::upper_bound(reaches_, position, {}, [](const Reach& r) { return r.old_text.from; });
  if (next == reaches_.begin()) return position;
  const Reach& last = *std::prev(next);
  if (last.old_text.from == position && last.old_text.to > position) return last.new_text.from;
  return last.new_text.to + (position > last.old_text.to ? position - last.old_text.to : 0);
}

std::uint32_t TextEdits::before(std::uint32_t position) const {
  const auto next = std::ranges::lower_bound(reaches_, position, {}, [](const Reach& r) { return r.old_text.from; });
  if (next == reaches_.begin()) return position;
  const Reach& last = *std::prev(next);
  return last.new_text.to + (position > last.old_text.to ? position - last.old_text.to : 0);
}

text::Span TextEdits::moved(const text::Span& span) const {
  const std::uint32_t from = after(span.from);
  return {from, std::max(from, before(span.to))};
}

const TextEdit* TextEdits::replaced(const text::Span& span) const {
  auto edit = std::ranges::upper_bound(edits_, span.from, {}, [](const TextEdit& e) { return e.at.to; });
  while (edit != edits_.end() && edit->at.from == edit->at.to) ++edit;
  return edit != edits_.end() && edit->at.from < span.to ? &*edit : nullptr;
}

}  // namespace heed::translate
