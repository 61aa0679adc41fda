#include "document/cue_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/utf8.h"
#include "document/wrap_lines.h"

namespace heed::document {

namespace {

constexpr std::size_t kUsualWidth = 42;  // what broadcasters allow per line

// In "- Who is there?" and "- Me.", each line is the text of another speaker.
bool is_speaker_line(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (line.starts_with('<')) line.remove_prefix(std::min(line.find('>'), line.size() - 1) + 1);
  return line.starts_with('-') || line.starts_with("\xE2\x80\x93") || line.starts_with("\xE2\x80\x94");
}

// Whether a line ends like a sentence, apart from closing quotes, brackets and tags.
bool ends_sentence(std::string_view line) {
  constexpr std::string_view kStops[] = {".", "?", "!", "\u2026", "\u3002", "\uff01", "\uff1f"};
  constexpr std::string_view kClosing[] = {" ", "\t", "\"", "'", ")", "]", "\u201d", "\u2019", "\u00bb"};
  const auto ends_with = [&](std::string_view end) { return line.ends_with(end); };
  line = without_line_end(line);
  for (;;) {
    if (const auto* const closing = std::ranges::find_if(kClosing, ends_with); closing != std::end(kClosing))
      line.remove_suffix(closing->size());
    else if (const std::size_t tag = line.rfind('<'); line.ends_with('>') && tag != line.npos)
      line = line.substr(0, tag);
    else
      return std::ranges::any_of(kStops, ends_with);
  }
}

// The position of the next <v Name> or <v.loud Name> at or after `at`; npos if there is none.
std::size_t find_voice(std::string_view line, std::size_t at) {
  while ((at = line.find("<v", at)) != line.npos) {
    if (at + 2 < line.size() && std::string_view(" \t.>").find(line[at + 2]) != std::string_view::npos) return at;
    ++at;
  }
  return at;
}

// The number of bytes of the tag or override at the start of the line; 0 if there is none.
std::size_t cue_tag_size(std::string_view line) {
  if (line.starts_with("{\\")) return line.find('}') + 1;  // npos + 1 is 0
  if (line.size() < 2 || line[0] != '<') return 0;
  const char c = line[1] == '/' ? line[std::min<std::size_t>(2, line.size() - 1)] : line[1];
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ? line.find('>') + 1 : 0;
}

// <i>, </font>, <c.loud>, <00:01.500>, {\i1}.
InlineItem make_cue_tag(std::string_view tag) {
  InlineItem item{.kind = InlineItem::Kind::single, .text = std::string(tag)};
  const bool closes = tag.starts_with("</");
  const std::size_t start = closes ? 2 : 1;
  item.key = tag.substr(start, tag.find_first_of(" .\t/>", start) - start);
  const bool has_content = tag[0] == '<' && std::isdigit(static_cast<unsigned char>(tag[1])) == 0 && item.key != "br" &&
                           !tag.ends_with("/>");
  if (has_content) item.kind = closes ? InlineItem::Kind::close : InlineItem::Kind::open;
  return item;
}

constexpr std::pair<std::string_view, std::string_view> kVttEntities[] = {
    {"&amp;", "&"},
    {"&lt;", "<"},
    {"&gt;", ">"},
    {"&nbsp;", "\xC2\xA0"},
    {"&lrm;", "\xE2\x80\x8E"},
    {"&rlm;", "\xE2\x80\x8F"},
    {"&quot;", "\""},
    {"&#39;", "'"},
};

// Tags around the whole text need no marks: first those that only close at the end, then pairs.
void remove_outer_tags(CueText& cue) {
  std::vector<text::Mark>& marks = cue.text.marks;
  const auto end = static_cast<std::uint32_t>(utf8_length(cue.text.text));
  while (end > 0 && !marks.empty() && marks.back().span == text::Span{end, end} && marks.back().parent < 0 &&
         cue.tags.open[marks.back().id].starts_with("</")) {
    cue.close.insert(0, cue.tags.open[marks.back().id]);
    marks.pop_back();
  }
  std::string close;
  while (!marks.empty() && marks[0].span == text::Span{0, end} && end > 0) {
    cue.open += cue.tags.open[marks[0].id];
    close.insert(0, cue.tags.close[marks[0].id]);
    marks.erase(marks.begin());
    for (text::Mark& mark : marks) mark.parent = std::max(mark.parent - 1, -1);
  }
  cue.close.insert(0, close);
}

// Parses the lines of one speaker. `entities`: & and < are escaped.
CueText parse_cue_text(std::span<const std::string> lines, bool speaker, bool entities) {
  constexpr std::size_t kMaxBefore = 100;  // keeps the time to search for closing tags linear
  CueText cue{.lines = lines.size()};
  std::vector<InlineItem> items;
  std::string text;
  for (const std::string& raw : lines) {
    std::string_view line = without_line_end(raw);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
    if (&raw != &lines.front()) text += ' ';
    std::string plain;
    while (!line.empty()) {
      std::size_t size = cue_tag_size(line);
      if (size > 0) {
        const std::string_view tag = line.substr(0, size);
        InlineItem item = make_cue_tag(tag);
        const bool leads = items.empty() && text.empty() && cue.before.size() < kMaxBefore;
        const bool unclosed =
            leads && item.kind == InlineItem::Kind::open &&
            std::ranges::none_of(lines, [&](const std::string& l) { return l.find("</" + item.key) != l.npos; });
        if (leads && (item.kind == InlineItem::Kind::single || unclosed)) {
          cue.before += tag;
        } else {
          if (!text.empty()) items.push_back({.kind = InlineItem::Kind::text, .text = std::exchange(text, {})});
          items.push_back(std::move(item));
        }
      } else if (speaker && items.empty() && text.empty() && is_speaker_line(line)) {
        size = line.find_first_not_of(" \t", line[0] == '-' ? 1 : 3);
        size = std::min(size, line.size());
        cue.before += line.substr(0, size);
      } else {
        const auto* const entity =
            std::ranges::find_if(kVttEntities, [&](const auto& e) { return entities && line.starts_with(e.first); });
        const std::string_view meaning = entity == std::end(kVttEntities) ? line.substr(0, size = 1) : entity->second;
        if (entity != std::end(kVttEntities)) size = entity->first.size();
        text += meaning;
        plain += meaning;
      }
      line.remove_prefix(size);
    }
    cue.width = std::max(cue.width, utf8_length(plain));
  }
  if (!text.empty()) items.push_back({.kind = InlineItem::Kind::text, .text = std::move(text)});
  cue.text = mark_text(items, cue.tags);
  remove_outer_tags(cue);
  return cue;
}

void escape_vtt(std::string& out, std::string_view text) {
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string_view(&c, 1);
}

// Time stamps such as <00:01.500> must be in ascending order, even if the order of the words changes.
void order_time_stamps(text::MarkedText& text, const MarkTags& tags) {
  std::vector<std::uint32_t> ids;
  const auto is_stamp = [&](const text::Mark& mark) {
    const std::string& tag = tags.open[mark.id];
    return tag.size() > 1 && tag[0] == '<' && std::isdigit(static_cast<unsigned char>(tag[1])) != 0;
  };
  for (const text::Mark& mark : text.marks)
    if (is_stamp(mark)) ids.push_back(mark.id);
  std::ranges::sort(ids);
  auto id = ids.begin();
  for (text::Mark& mark : text.marks)
    if (is_stamp(mark)) mark.id = *id++;
}

}  // namespace

std::string_view without_line_end(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<CueText> parse_cue(std::span<const std::string> lines, bool vtt) {
  std::vector<CueText> texts;
  if (lines.empty()) return texts;
  const bool each_is_new = std::ranges::all_of(lines, is_speaker_line);
  const auto is_new = [&](std::size_t i) {
    return is_speaker_line(lines[i]) && (each_is_new || ends_sentence(lines[i - 1]));
  };
  for (std::size_t from = 0, to = 1; to <= lines.size(); ++to) {
    if (to < lines.size() ? !is_new(to) : from == 0) continue;
    texts.push_back(parse_cue_text(lines.subspan(from, to - from), is_speaker_line(lines[from]), vtt));
    from = to;
  }
  if (!texts.empty()) return texts;
  // Each <v Name> after the first begins the text of another speaker.
  std::vector<std::string> own;
  bool same_line = false, has_voice = false;
  const auto end_speaker = [&](bool next_on_same_line) {
    texts.push_back(parse_cue_text(own, false, vtt));
    texts.back().same_line = std::exchange(same_line, next_on_same_line);
    own.clear();
  };
  for (const std::string& line : lines) {
    std::string_view rest = line;
    for (std::size_t at = vtt ? find_voice(rest, 0) : rest.npos; at != rest.npos; at = find_voice(rest, 3)) {
      const std::string_view before = rest.substr(0, at);
      const bool is_blank = before.find_first_not_of(" \t") == before.npos;
      if (std::exchange(has_voice, true)) {
        if (!is_blank) own.emplace_back(before);
        end_speaker(!is_blank);
        rest.remove_prefix(at);
      } else if (at > 0) {
        break;  // the cue does not begin with a speaker
      }
      if (rest.size() < 3) break;
    }
    own.emplace_back(rest);
  }
  end_speaker(false);
  return texts;
}

std::string write_cue_text(const CueText& cue, text::MarkedText text, std::string_view line_end, bool vtt) {
  order_time_stamps(text, cue.tags);
  text::MarkedText wrapped = wrap_lines(text, cue.lines);
  if (cue.lines == 1 && widest_line(wrapped) > std::max(kUsualWidth, cue.width)) wrapped = wrap_lines(text, 2);
  const std::string out = write_marked_text(wrapped, cue.tags, [&](std::string& to, std::string_view part) {
    if (vtt)
      escape_vtt(to, part);
    else
      to += part;
  });
  std::string lines = cue.before + cue.open;
  for (const char c : out) lines += c == '\n' ? line_end : std::string_view(&c, 1);
  return lines + cue.close;
}

}  // namespace heed::document
