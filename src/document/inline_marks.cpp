#include "document/inline_marks.h"

#include <algorithm>

#include "base/utf8.h"

namespace heed::document {

namespace {

constexpr std::size_t kNoPartner = static_cast<std::size_t>(-1);

// For each item, the index of the item that starts or ends the same mark.
std::vector<std::size_t> find_partners(std::span<const InlineItem> items) {
  constexpr std::size_t kMaxSearch = 64;  // tags are seldom nested deeper, and the search must take linear time
  std::vector<std::size_t> partners(items.size(), kNoPartner), open;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind == InlineItem::Kind::open) open.push_back(i);
    if (items[i].kind != InlineItem::Kind::close) continue;
    for (std::size_t depth = 0; depth < open.size() && (items[i].strict || depth < kMaxSearch); ++depth) {
      const std::size_t at = open[open.size() - 1 - depth];
      if (items[at].key == items[i].key && items[at].strict == items[i].strict) {
        partners[at] = i;
        partners[i] = at;
        open.resize(open.size() - 1 - depth);  // those in between have no partner
        break;
      }
      if (items[at].strict) break;
    }
  }
  return partners;
}

}  // namespace

text::MarkedText mark_text(std::span<const InlineItem> items, MarkTags& tags) {
  const std::vector<std::size_t> partners = find_partners(items);
  text::MarkedText marked;
  std::vector<int> open;
  std::uint32_t position = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const InlineItem& item = items[i];
    if (item.kind == InlineItem::Kind::text) {
      const std::string text = is_valid_utf8(item.text) ? item.text : replace_bad_utf8(item.text);
      marked.text += text;
      position += static_cast<std::uint32_t>(utf8_length(text));
    } else if (item.kind == InlineItem::Kind::close && partners[i] != kNoPartner) {
      marked.marks[static_cast<std::size_t>(open.back())].span.to = position;
      open.pop_back();
    } else {
      const bool pair = partners[i] != kNoPartner;
      const int parent = open.empty() ? -1 : open.back();
      if (pair) open.push_back(static_cast<int>(marked.marks.size()));
      marked.marks.push_back({.span = {position, position},
                              .id = static_cast<std::uint32_t>(tags.open.size()),
                              .parent = parent,
                              .keep = item.keep});
      tags.open.push_back(item.text);
      tags.data.push_back(item.data);
      tags.close.push_back(pair ? items[partners[i]].text : "");
    }
  }
  return marked;
}

void visit_marks(const text::MarkedText& text, const MarkVisitor& visitor) {
  const std::vector<std::uint32_t> bytes = text::byte_offsets(text.text);
  const auto byte_at = [&](std::uint32_t position) { return bytes[std::min<std::size_t>(position, bytes.size() - 1)]; };
  std::size_t written = 0;
  const auto write_to = [&](std::uint32_t position) {
    const std::size_t end = byte_at(position);
    if (end > written) visitor.text(std::string_view(text.text).substr(written, end - written));
    written = std::max(written, end);
  };
  std::vector<int> open;
  const auto close_to = [&](int parent) {
    for (; !open.empty() && open.back() != parent; open.pop_back()) {
      const auto mark = static_cast<std::size_t>(open.back());
      write_to(text.marks[mark].span.to);
      visitor.close(mark);
    }
  };
  for (std::size_t i = 0; i < text.marks.size(); ++i) {
    close_to(text.marks[i].parent);
    write_to(text.marks[i].span.from);
    visitor.open(i);
    open.push_back(static_cast<int>(i));
  }
  close_to(-1);
  write_to(static_cast<std::uint32_t>(bytes.size() - 1));
}

std::string write_marked_text(const text::MarkedText& text, const MarkTags& tags, const Escape& escape) {
  std::string out;
  visit_marks(text, {.text = [&](std::string_view part) { escape(out, part); },
                     .open = [&](std::size_t mark) { out += tags.open[text.marks[mark].id]; },
                     .close = [&](std::size_t mark) { out += tags.close[text.marks[mark].id]; }});
  return out;
}

void append_markup(std::string& out, std::string_view text, std::string_view quotes) {
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '\r')
      out += "&#13;";
    else if (quotes.find(c) != quotes.npos)
      out += c == '"' ? "&quot;" : "&#39;";
    else
      out += static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t' ? c : ' ';
  }
}

}  // namespace heed::document
