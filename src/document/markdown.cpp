// Markdown (CommonMark with GitHub's tables, footnotes, and common extensions: see markdown_lines.h): translates the
// text of paragraphs, headings, list items and table cells. Everything else keeps its bytes: code, formulas, HTML
// blocks, link definitions, front matter. A translated paragraph becomes one line.
#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "document/markdown_inline.h"
#include "document/markdown_lines.h"
#include "document/markdown_text.h"
#include "document/segments.h"

namespace heed::document {
namespace {

// A link label in the form in which definitions and references are compared: lower case, with single spaces.
std::string normalized_label(std::string_view label) {
  std::string out;
  for (const char c : label) {
    const bool space = is_line_space(c) || c == '\n' || c == '\r';
    if (space && (out.empty() || out.back() == ' ')) continue;
    out += space ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

class MarkdownScan {
 public:
  explicit MarkdownScan(std::string_view text) : text_(text), builder_(text) {
    is_defined_ = [this](std::string_view label) { return labels_.contains(normalized_label(label)); };
  }

  std::vector<Segment> run() {
    find_definitions();
    std::size_t at = front_matter();
    while (at < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      read_line(at, end);
      at = end + 1;
    }
    end_paragraph();
    return std::move(segments_);
  }

  // Whether the bytes of a translated segment would be parsed as the same markup again.
  bool accepts(const Segment& segment, const text::MarkedText& result, std::string_view bytes) const {
    std::multiset<std::string_view> wanted, found;
    const auto add = [](std::multiset<std::string_view>& all, std::string_view markup) {
      if (!markup.empty()) all.insert(markup);
    };
    for (std::size_t i = 0; i < result.marks.size(); ++i) {
      const MarkBytes& markup = segment.markup[result.marks[i].id];
      if (is_left_out(segment, result, i)) continue;
      add(wanted, markup.open.of(text_));
      add(wanted, markup.close.of(text_));
    }
    for (const InlineEvent& event : scan_inline_markup(bytes, is_defined_))
      add(found, bytes.substr(event.from, event.to - event.from));
    return wanted == found;
  }

 private:
  struct Prefix {
    std::size_t length = 0;  // in bytes
    int quotes = 0;
    bool has_item = false, is_code = false;
  };

  void find_definitions();
  std::size_t front_matter() const;
  Prefix read_prefix(std::string_view line) const;
  void read_line(std::size_t from, std::size_t end);
  bool read_verbatim(std::string_view line, std::string_view content);
  bool begins_html(std::string_view content);
  bool begins_formula(std::string_view content) const;
  void read_content(std::size_t from, std::size_t end);
  void read_cells(std::size_t from, std::size_t end);
  void add_text(std::size_t from, std::size_t to);
  void end_paragraph(char quote = 0);
  void add_segment(char quote);
  bool next_line_is_table_rule(std::size_t end) const;

  std::string_view text_;
  SegmentBuilder builder_;
  std::set<std::string> labels_;
  std::function<bool(std::string_view)> is_defined_;
  std::vector<Segment> segments_;
  std::string paragraph_;                // its lines, without their prefixes
  std::vector<std::size_t> positions_;   // in the document, for each byte of the paragraph
  std::string fence_;                    // of the code block that we are in
  std::optional<std::string> html_end_;  // what ends the HTML block or formula that we are in; "": a blank line
  std::size_t item_indent_ = 0;          // column where the text of the last list item begins
  int quotes_ = 0;                       // depth of block quotes around the paragraph
  bool in_table_ = false;
};

void MarkdownScan::find_definitions() {
  bool may_begin = true;  // some definitions do not interrupt a paragraph
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    std::string_view line = text_.substr(at, end - at);
    line.remove_prefix(std::min(line.find_first_not_of("> \t"), line.size()));
    const std::size_t length = may_begin || interrupts_paragraph(line) ? definition_length(line) : 0;
    if (length > 0) labels_.insert(normalized_label(line.substr(1, length - 3)));
    may_begin = (length > 0 && !line.starts_with("[^")) || is_blank_line(line);
    at = end + 1;
  }
}

// The length of front matter in YAML or TOML; 0 if there is none.
std::size_t MarkdownScan::front_matter() const {
  for (const std::string_view fence : {"---", "+++"}) {
    if (!text_.starts_with(fence) || !is_blank_line(text_.substr(3, text_.find('\n') - 3))) continue;
    for (std::size_t at = text_.find('\n'); at != text_.npos; at = text_.find('\n', at + 1)) {
      const std::size_t end = std::min(text_.find('\n', at + 1), text_.size());
      const std::string_view line = text_.substr(at + 1, end - at - 1);
      if ((line.starts_with(fence) || line.starts_with("...")) && is_blank_line(line.substr(3)))
        return std::min(end + 1, text_.size());
    }
  }
  return 0;
}

// The markers of block quotes and list items at the start of a line.
MarkdownScan::Prefix MarkdownScan::read_prefix(std::string_view line) const {
  Prefix prefix;
  std::size_t allowed = item_indent_;  // columns of white space that belong to the list item
  for (;;) {
    const std::string_view rest = line.substr(prefix.length);
    std::size_t spaces = 0, width = 0;
    while (spaces < rest.size() && is_line_space(rest[spaces])) width += rest[spaces++] == '\t' ? 4 : 1;
    if (width >= 4 + allowed && paragraph_.empty() && spaces < rest.size()) {
      prefix.is_code = true;
      return prefix;
    }
    const std::string_view content = rest.substr(spaces);
    if (content.starts_with('>')) {
      prefix.length += spaces + 1;
      ++prefix.quotes;
      allowed = 0;
      continue;
    }
    const std::size_t marker = is_rule(content, "*-_") ? 0 : list_marker_length(content);
    // Within a paragraph, a list can start only with an item that has text, and a numbered list only with 1.
    const bool begins =
        marker > 0 && (paragraph_.empty() || item_indent_ > 0 || prefix.has_item ||
                       (marker < content.size() &&
                        (!std::isdigit(static_cast<unsigned char>(content[0])) || content.starts_with("1."))));
    prefix.length += spaces;
    if (!begins) return prefix;
    prefix.length += marker;
    prefix.has_item = true;
    allowed = 0;
  }
}

bool MarkdownScan::begins_html(std::string_view content) {
  if (!content.starts_with('<') || content.size() < 2) return false;
  std::string lower(content.substr(0, 40));
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string name : {"script", "pre", "style", "textarea"})
    if (lower.starts_with("<" + name) &&
        (lower.size() == name.size() + 1 || !std::isalnum(static_cast<unsigned char>(lower[name.size() + 1])))) {
      html_end_ = "</" + name + ">";
      return true;
    }
  for (const auto& [begin, end] : {std::pair{"<!--", "-->"}, {"<?", "?>"}, {"<![cdata[", "]]>"}, {"<!", ">"}})
    if (lower.starts_with(begin)) {
      html_end_ = end;
      return true;
    }
  const std::size_t name = lower[1] == '/' ? 2 : 1;
  std::size_t end = name;
  while (end < lower.size() && (std::isalnum(static_cast<unsigned char>(lower[end])) != 0 || lower[end] == '-')) ++end;
  static const std::set<std::string> kBlocks = {
      "address",  "article", "aside",  "blockquote", "body",     "center",     "dd",      "details", "dialog",
      "dir",      "div",     "dl",     "dt",         "fieldset", "figcaption", "figure",  "footer",  "form",
      "frame",    "h1",      "h2",     "h3",         "h4",       "h5",         "h6",      "head",    "header",
      "hr",       "html",    "iframe", "legend",     "li",       "link",       "main",    "menu",    "nav",
      "noframes", "ol",      "option", "p",          "param",    "section",    "summary", "table",   "tbody",
      "td",       "tfoot",   "th",     "thead",      "title",    "tr",         "ul"};
  const char after = end < lower.size() ? lower[end] : '>';
  const bool ends = is_line_space(after) || after == '>' || after == '/' || after == '\r';
  bool is_html = end > name && ends && kBlocks.contains(lower.substr(name, end - name));
  // A line that is a single tag, unless it continues a paragraph.
  if (!is_html && end > name && ends && paragraph_.empty()) {
    const std::size_t close = content.find('>');
    is_html = close != content.npos && is_blank_line(content.substr(close + 1));
  }
  if (is_html) html_end_ = "";
  return is_html;
}

// Whether a block between $$ and $$ begins, or is on this line alone.
bool MarkdownScan::begins_formula(std::string_view content) const {
  if (!content.starts_with("$$")) return false;
  const std::size_t close = content.find("$$", 2);
  if (close != content.npos) return is_blank_line(content.substr(close + 2));
  return text_.find("$$", static_cast<std::size_t>(content.end() - text_.begin())) != text_.npos;
}

// Handles lines of code, formulas and HTML blocks; returns whether the line is one.
bool MarkdownScan::read_verbatim(std::string_view line, std::string_view content) {
  if (!fence_.empty()) {
    const std::string_view inner = line.substr(std::min(line.find_first_not_of(" \t>"), line.size()));
    const std::size_t end = std::min(inner.find_first_not_of(fence_[0]), inner.size());
    if (end >= fence_.size() && is_blank_line(inner.substr(end))) fence_.clear();
    return true;
  }
  if (!html_end_) {
    const std::size_t end = content.empty() ? 0 : std::min(content.find_first_not_of(content[0]), content.size());
    if (end >= 3 && (content[0] == '~' || (content[0] == '`' && content.find('`', end) == content.npos))) {
      end_paragraph();
      fence_.assign(end, content[0]);
      return true;
    }
    if (begins_formula(content)) {
      end_paragraph();
      if (content.find("$$", 2) == content.npos) html_end_ = "$$";
      return true;
    }
    if (!begins_html(content)) return false;
    end_paragraph();
  }
  std::string lower(line);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (html_end_->empty() ? is_blank_line(content) : lower.find(*html_end_) != lower.npos) html_end_.reset();
  return true;
}

bool MarkdownScan::next_line_is_table_rule(std::size_t end) const {
  if (end >= text_.size()) return false;
  const std::size_t next = std::min(text_.find('\n', end + 1), text_.size());
  std::string_view line = text_.substr(end + 1, next - end - 1);
  line.remove_prefix(std::min(line.find_first_not_of("> \t"), line.size()));
  return is_table_rule(line);
}

void MarkdownScan::read_line(std::size_t from, std::size_t end) {
  const std::string_view line = text_.substr(from, end - from);
  if (!fence_.empty()) return void(read_verbatim(line, line));
  const Prefix prefix = read_prefix(line);
  const std::string_view content = line.substr(prefix.length);
  if (is_blank_line(content) && !(html_end_ && !html_end_->empty())) {
    html_end_.reset();
    in_table_ = false;
    return end_paragraph();
  }
  if (prefix.is_code && !html_end_) return;
  // A block quote that is not indented under the list item ends the item.
  const bool leaves_item = prefix.quotes > 0 && line.find_first_not_of(" \t") < item_indent_;
  if (prefix.has_item || prefix.quotes > quotes_ || leaves_item) end_paragraph();
  if (leaves_item) item_indent_ = 0;
  if (paragraph_.empty()) quotes_ = prefix.quotes;
  if (prefix.has_item)
    item_indent_ = prefix.length;
  else if (paragraph_.empty() && prefix.length < item_indent_ && (line.empty() || !is_line_space(line[0])))
    item_indent_ = 0;
  if (read_verbatim(line, content)) return;
  read_content(from + prefix.length, end);
}

void MarkdownScan::read_content(std::size_t from, std::size_t end) {
  std::string_view content = text_.substr(from, end - from);
  if (!paragraph_.empty() && is_underline(content)) return end_paragraph();
  if (is_rule(content, "*-_") || is_directive(content)) {
    if (is_admonition(content)) item_indent_ = 4;  // its text is indented like code
    return end_paragraph();
  }
  if (in_table_ || (content.find('|') != content.npos && next_line_is_table_rule(end))) {
    end_paragraph();
    in_table_ = true;
    return is_table_rule(content) ? void() : read_cells(from, end);
  }
  if (const std::size_t hashes = std::min(content.find_first_not_of('#'), content.size());
      hashes > 0 && hashes <= 6 && (hashes == content.size() || is_line_space(content[hashes]))) {
    end_paragraph();
    std::size_t to = end;
    while (to > from + hashes && (is_line_space(text_[to - 1]) || text_[to - 1] == '\r')) --to;
    std::size_t closing = to;
    while (closing > from + hashes && text_[closing - 1] == '#') --closing;
    if (closing < to && is_line_space(text_[closing - 1])) to = closing;
    add_text(from + hashes, to);
    return end_paragraph();
  }
  const std::size_t definition = definition_length(content);
  if (definition > 0 && (paragraph_.empty() || interrupts_paragraph(content))) {
    end_paragraph();
    if (!content.starts_with("[^")) return;
    from += definition;
    content.remove_prefix(definition);
  }
  if (paragraph_.empty() && content.size() > 3 && content[0] == '[' && content[2] == ']' && is_line_space(content[3]))
    from += 4;  // a task: [x]
  add_text(from, end);
}

// The cells of a table row.
void MarkdownScan::read_cells(std::size_t from, std::size_t end) {
  std::size_t cell = from;
  const auto finish = [&](std::size_t to) {
    add_text(cell, to);
    end_paragraph('|');
    cell = to + 1;
  };
  for (std::size_t i = from; i < end; ++i) {
    if (text_[i] == '\\')
      ++i;
    else if (text_[i] == '|')
      finish(i);
  }
  if (cell < end) finish(end);
}

void MarkdownScan::add_text(std::size_t from, std::size_t to) {
  if (!paragraph_.empty()) {
    paragraph_ += '\n';
    positions_.push_back(positions_.back() + 1);
    while (from < to && is_line_space(text_[from])) ++from;
  }
  if (to > from && text_[to - 1] == '\r') --to;
  for (; from < to; ++from) {
    paragraph_ += text_[from];
    positions_.push_back(from);
  }
}

void MarkdownScan::add_segment(char quote) {
  Segment segment;
  if (!builder_.finish(segment)) return;
  segment.quote = quote;
  segments_.push_back(std::move(segment));
}

void MarkdownScan::end_paragraph(char quote) {
  constexpr std::size_t kMostMarks = 500;
  const auto bytes = [&](std::size_t from, std::size_t to) {
    return ByteRange{positions_[from], positions_[to - 1] + 1};
  };
  std::size_t at = 0, depth = 0;
  const auto text_to = [&](std::size_t to) {
    if (at < to) builder_.add_text(bytes(at, to), decode_markdown(std::string_view(paragraph_).substr(at, to - at)));
    at = std::max(at, to);
  };
  std::vector<InlineEvent> events;
  if (!paragraph_.empty()) events = scan_inline_markup(paragraph_, is_defined_);
  for (InlineEvent& event : events) {
    text_to(event.from);
    at = event.to;
    const ByteRange range = bytes(event.from, event.to);
    using Kind = InlineEvent::Kind;
    if (event.kind == Kind::open) {
      if (depth++ == 0 && builder_.marks() >= kMostMarks) add_segment(quote);
      builder_.open(range, event.is_emphasis);
    } else if (event.kind == Kind::close) {
      --depth;
      builder_.close(range);
    } else if (event.kind == Kind::boundary && depth == 0) {
      add_segment(quote);
    } else {
      builder_.add_opaque(range, event.kept);
    }
  }
  text_to(paragraph_.size());
  add_segment(quote);
  paragraph_.clear();
  positions_.clear();
}

}  // namespace

void translate_markdown(ByteSource& input, const Write& write, const DocumentOptions&,
                        const TranslateSegments& translate) {
  const std::string text = read_document(input, kMaxDocument);
  MarkdownScan scan(text);
  std::vector<Segment> segments = scan.run();
  write_document(text, std::move(segments), {}, {}, escape_markdown, translate, write,
                 [&](const Segment& segment, const text::MarkedText& result, std::string_view bytes) {
                   return scan.accepts(segment, result, bytes);
                 });
}

}  // namespace heed::document
