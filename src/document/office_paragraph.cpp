#include "document/office_paragraph.h"

#include <algorithm>
#include <map>

#include "base/utf8.h"

namespace heed::document {

OfficeFragment::OfficeFragment(std::span<const XmlToken> tokens, const Parse& parse) : parts_(1) {
  for (std::size_t i = 0; i < tokens.size();) {
    if (tokens[i].kind == XmlToken::Kind::start)
      if (auto paragraph = parse(tokens.subspan(i))) {
        parts_.back().paragraph = std::move(paragraph);
        parts_.emplace_back();
        i = skip_element(tokens, i);
        continue;
      }
    parts_.back().before += tokens[i++].raw;
  }
}

void OfficeFragment::add_segments(std::vector<text::MarkedText>& segments) const {
  for (const Part& part : parts_)
    if (part.paragraph) part.paragraph->add_segments(segments);
}

std::string OfficeFragment::write(std::span<const text::MarkedText>& translations) const {
  std::string out;
  for (const Part& part : parts_) {
    out += part.before;
    if (part.paragraph) out += part.paragraph->write(translations);
  }
  return out;
}

OfficeParagraph::OfficeParagraph(Content content) : content_(std::move(content)) {
  choose_formats();
  std::vector<std::size_t> atoms;
  for (std::size_t i = 0; i < content_.atoms.size(); ++i) {
    if (content_.atoms[i].kind == OfficeAtom::Kind::separator) {
      add_part(atoms);
      atoms.clear();
    }
    atoms.push_back(i);
  }
  add_part(atoms);
}

// Chooses the base format of each element: that of most of the text directly inside it. Such text needs no mark.
void OfficeParagraph::choose_formats() {
  const std::vector<OfficeAtom>& atoms = content_.atoms;
  base_.assign(atoms.size() + 1, -1);
  std::vector<std::pair<std::size_t, std::map<int, std::size_t>>> open = {{atoms.size(), {}}};
  const auto end = [&] {
    std::size_t most = 0;
    for (const auto& [format, size] : open.back().second)
      if (size > most) most = size, base_[open.back().first] = format;
    if (most == 0 && open.size() > 1) base_[open.back().first] = -1;
    open.pop_back();
  };
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (atoms[i].kind == OfficeAtom::Kind::text) open.back().second[atoms[i].format] += atoms[i].text.size();
    if (atoms[i].kind == OfficeAtom::Kind::open && atoms[i].strict) open.push_back({i, {}});
    if (atoms[i].kind == OfficeAtom::Kind::close && atoms[i].strict && open.size() > 1) end();
  }
  while (!open.empty()) end();
  if (base_.back() < 0 && !content_.formats.empty()) base_.back() = 0;
}

// Makes a part of the atoms between two separators. Those before and after the text cannot move.
void OfficeParagraph::add_part(std::span<const std::size_t> atoms) {
  const auto is_fixed = [&](std::size_t atom) {
    const OfficeAtom::Kind kind = content_.atoms[atom].kind;
    return kind == OfficeAtom::Kind::single || kind == OfficeAtom::Kind::separator;
  };
  std::vector<std::size_t> before, after;
  while (!atoms.empty() && is_fixed(atoms.front())) before.push_back(atoms.front()), atoms = atoms.subspan(1);
  while (!atoms.empty() && is_fixed(atoms.back()))
    after.insert(after.begin(), atoms.back()), atoms = atoms.first(atoms.size() - 1);
  std::vector<InlineItem> items;
  std::vector<int> base = {base_.back()};
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const OfficeAtom& atom = content_.atoms[atoms[i]];
    const int index = static_cast<int>(atoms[i]);
    if (atom.kind == OfficeAtom::Kind::text) {
      // Neighbors of the same format share a mark: word processors split runs for reasons of their own.
      const auto formatted = [&](std::size_t j) {
        return j < atoms.size() && content_.atoms[atoms[j]].kind == OfficeAtom::Kind::text &&
               content_.atoms[atoms[j]].format == atom.format;
      };
      const bool marked = atom.format != base.back();
      if (marked && !(i > 0 && formatted(i - 1)))
        items.push_back({.kind = InlineItem::Kind::open, .text = {}, .key = "run", .strict = true, .data = index});
      items.push_back({.text = atom.text});
      if (marked && !formatted(i + 1))
        items.push_back({.kind = InlineItem::Kind::close, .text = {}, .key = "run", .strict = true});
      continue;
    }
    const auto kind = atom.kind == OfficeAtom::Kind::open    ? InlineItem::Kind::open
                      : atom.kind == OfficeAtom::Kind::close ? InlineItem::Kind::close
                                                             : InlineItem::Kind::single;
    items.push_back(
        {.kind = kind, .text = atom.text, .key = atom.key, .strict = atom.strict, .keep = atom.keep, .data = index});
    if (atom.kind == OfficeAtom::Kind::open && atom.strict) base.push_back(base_[atoms[i]]);
    if (atom.kind == OfficeAtom::Kind::close && atom.strict && base.size() > 1) base.pop_back();
  }
  MarkTags tags;
  LineSegments lines(mark_text(items, tags));
  parts_.push_back({std::move(before), std::move(after), std::move(lines), std::move(tags)});
}

void OfficeParagraph::add_segments(std::vector<text::MarkedText>& segments) const {
  for (const Part& part : parts_) std::ranges::copy(part.lines.segments(), std::back_inserter(segments));
  for (const OfficeAtom& atom : content_.atoms) atom.content.add_segments(segments);
}

// Writes text and tags, and puts text, and atoms that belong in runs, into runs.
class OfficeParagraph::Writer {
 public:
  Writer(const Content& content, std::vector<std::string> inner) : content_(content), inner_(std::move(inner)) {}

  void text(std::string_view text, int format) {
    if (content_.formats.empty()) return append_markup(out_, text);
    enter_run(format);
    out_ += "<" + content_.prefix + "t xml:space=\"preserve\">";
    append_markup(out_, text);
    out_ += "</" + content_.prefix + "t>";
  }
  void single(std::size_t atom, int format) {
    if (content_.atoms[atom].in_run)
      enter_run(content_.atoms[atom].format >= 0 ? content_.atoms[atom].format : format);
    else
      leave_run();
    out_ += inner_[atom];
  }
  void tag(const std::string& tag) {
    leave_run();
    out_ += tag;
  }
  std::string finish() {
    leave_run();
    return std::move(out_);
  }

 private:
  void enter_run(int format) {
    if (run_ == format) return;
    leave_run();
    out_ += content_.formats[static_cast<std::size_t>(std::max(format, 0))];
    run_ = format;
  }
  void leave_run() {
    if (std::exchange(run_, -1) >= 0) out_ += "</" + content_.prefix + "r>";
  }

  const Content& content_;
  std::vector<std::string> inner_;  // the content of each atom
  std::string out_;
  int run_ = -1;
};

std::string OfficeParagraph::write(std::span<const text::MarkedText>& translations) const {
  std::size_t own = 0;
  for (const Part& part : parts_) own += part.lines.segments().size();
  std::span<const text::MarkedText> mine = translations.first(own);
  translations = translations.subspan(own);
  std::vector<std::string> inner;
  for (const OfficeAtom& atom : content_.atoms) inner.push_back(atom.content.write(translations));
  Writer writer(content_, std::move(inner));
  for (const Part& part : parts_) {
    const std::size_t count = part.lines.segments().size();
    const text::MarkedText text = part.lines.join(mine.first(count));
    mine = mine.subspan(count);
    std::vector<int> formats = {base_.back()};
    for (const std::size_t atom : part.before) writer.single(atom, formats.back());
    const auto atom_of = [&](std::size_t mark) {
      return static_cast<std::size_t>(part.tags.data[text.marks[mark].id]);
    };
    visit_marks(text, {.text = [&](std::string_view t) { writer.text(t, formats.back()); },
                       .open =
                           [&](std::size_t mark) {
                             const std::size_t index = atom_of(mark);
                             const OfficeAtom& atom = content_.atoms[index];
                             formats.push_back(atom.kind == OfficeAtom::Kind::text ? atom.format
                                               : atom.kind == OfficeAtom::Kind::open && base_[index] >= 0
                                                   ? base_[index]
                                                   : formats.back());
                             if (atom.kind == OfficeAtom::Kind::single)
                               writer.single(index, formats.back());
                             else if (atom.kind != OfficeAtom::Kind::text)
                               writer.tag(atom.text);
                           },
                       .close =
                           [&](std::size_t mark) {
                             formats.pop_back();
                             const std::string& close = part.tags.close[text.marks[mark].id];
                             if (!close.empty()) writer.tag(close);
                           }});
    for (const std::size_t atom : part.after) writer.single(atom, formats.back());
  }
  return content_.start + writer.finish() + content_.end;
}

}  // namespace heed::document
