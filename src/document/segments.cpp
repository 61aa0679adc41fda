#include "document/segments.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"
#include "document/inline_marks.h"

namespace heed::document {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

bool has_letter(std::string_view text) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  return std::ranges::any_of(text::decode_utf8(text), [&](char32_t c) { return classes.is(c, text::kLetter); });
}

// Writes a translated segment, with the bytes of its markup.
class SegmentWriter {
 public:
  using Emit = std::function<void(ByteRange)>;
  SegmentWriter(const Segment& segment, const text::MarkedText& result, EscapeText escape, std::string& out, Emit emit)
      : segment_(segment),
        result_(result),
        offsets_(text::byte_offsets(result.text)),
        escape_(escape),
        out_(out),
        emit_(std::move(emit)) {}

  void run() {
    for (const text::Mark& mark : result_.marks) {
      while (!open_.empty() && open_.back() != mark.parent) close();
      text_to(mark.span.from);
      if (!is_left_out(mark)) emit_(markup(mark).open);
      open_.push_back(static_cast<int>(&mark - result_.marks.data()));
    }
    while (!open_.empty()) close();
    text_to(static_cast<std::uint32_t>(offsets_.size() - 1));
  }

 private:
  const MarkBytes& markup(const text::Mark& mark) const { return segment_.markup[mark.id]; }
  bool is_left_out(const text::Mark& mark) const {
    return document::is_left_out(segment_, result_, static_cast<std::size_t>(&mark - result_.marks.data()));
  }
  void text_to(std::uint32_t to) {
    if (to <= at_) return;
    const std::string_view text(result_.text);
    out_ += escape_(text.substr(offsets_[at_], offsets_[to] - offsets_[at_]), segment_.quote);
    at_ = to;
  }
  void close() {
    const text::Mark& mark = result_.marks[static_cast<std::size_t>(open_.back())];
    open_.pop_back();
    if (markup(mark).opaque)
      at_ = std::max(at_, mark.span.to);
    else
      text_to(mark.span.to);
    if (!is_left_out(mark)) emit_(markup(mark).close);
  }

  const Segment& segment_;
  const text::MarkedText& result_;
  const std::vector<std::uint32_t> offsets_;
  EscapeText escape_;
  std::string& out_;
  Emit emit_;
  std::vector<int> open_;
  std::uint32_t at_ = 0;  // text before this character is written
};

// A result must have the marks of its source: otherwise markup would be lost.
void check_marks(const text::MarkedText& source, const text::MarkedText& result) {
  std::vector<std::uint32_t> before, after;
  for (const text::Mark& mark : source.marks) before.push_back(mark.id);
  for (const text::Mark& mark : result.marks) after.push_back(mark.id);
  std::ranges::sort(before);
  std::ranges::sort(after);
  check<InternalError>(before == after, "a translation has {} marks, but its text has {}", after.size(), before.size());
}

template <class Part>
void sort_by_position(std::vector<Part>& parts) {
  std::ranges::stable_sort(parts, {}, [](const Part& part) { return part.range.from; });
}

}  // namespace

void SegmentBuilder::start(std::size_t at) {
  if (!started_) segment_.range = {at, at};
  started_ = true;
}

// Appends text with collapsed white space.
void SegmentBuilder::append(std::string_view text, bool kept) {
  const std::string valid = is_valid_utf8(text) ? std::string() : replace_bad_utf8(text);
  if (!valid.empty()) text = valid;
  std::string& all = segment_.text.text;
  const std::size_t before = all.size();
  for (const char c : text) {
    if (is_blank(c) && !after_opaque_ && (all.empty() || all.back() == ' ')) continue;
    after_opaque_ = false;
    if (c != '\0') all += is_blank(c) ? ' ' : c;
  }
  const std::string_view added = std::string_view(all).substr(before);
  characters_ += static_cast<std::uint32_t>(utf8_length(added));
  has_letters_ = has_letters_ || (!kept && has_letter(added));
}

void SegmentBuilder::add_text(ByteRange bytes, std::string_view text) {
  ByteRange inner = bytes;
  if (open_.empty()) {
    if (!started_)
      while (inner.from < inner.to && is_blank(document_[inner.from])) ++inner.from;
    while (inner.from < inner.to && is_blank(document_[inner.to - 1])) --inner.to;
  }
  end_ = bytes.to;
  if (inner.from == inner.to && !started_) return;
  start(inner.from);
  append(text, false);
  if (inner.from < inner.to) segment_.range.to = inner.to;
}

void SegmentBuilder::add_mark(ByteRange bytes, bool opaque) {
  start(bytes.from);
  segment_.text.marks.push_back({.span = {characters_, characters_},
                                 .id = static_cast<std::uint32_t>(segment_.markup.size()),
                                 .parent = open_.empty() ? -1 : static_cast<int>(open_.back())});
  segment_.markup.push_back({.open = bytes, .opaque = opaque});
  segment_.range.to = end_ = bytes.to;
}

void SegmentBuilder::open(ByteRange tag, bool needs_content) {
  add_mark(tag, false);
  segment_.markup.back().needs_content = needs_content;
  open_.push_back(segment_.markup.size() - 1);
}

void SegmentBuilder::close(ByteRange tag) {
  segment_.markup[open_.back()].close = tag;
  segment_.text.marks[open_.back()].span.to = characters_;
  open_.pop_back();
  segment_.range.to = end_ = tag.to;
}

void SegmentBuilder::add_opaque(ByteRange bytes, std::string_view kept) {
  while (!kept.empty() && is_blank(kept.front())) kept.remove_prefix(1);
  while (!kept.empty() && is_blank(kept.back())) kept.remove_suffix(1);
  add_mark(bytes, true);
  append(kept, true);
  text::Mark& mark = segment_.text.marks.back();
  mark.span.to = characters_;
  mark.keep = mark.span.from < mark.span.to;
  after_opaque_ = !mark.keep;  // keep the spaces on both sides of it
}

bool SegmentBuilder::finish(Segment& segment) {
  const bool useful = has_letters_;
  segment = std::move(segment_);
  text::MarkedText& text = segment.text;
  if (useful && text.text.ends_with(' ')) {
    const std::uint32_t last = text.marks.empty() ? 0 : text.marks.back().span.from;
    std::uint32_t end = characters_;
    for (; end > last && text.text.ends_with(' '); --end) text.text.pop_back();
    for (text::Mark& mark : text.marks) mark.span = {std::min(mark.span.from, end), std::min(mark.span.to, end)};
  }
  segment_ = {};
  open_.clear();
  characters_ = 0;
  started_ = has_letters_ = after_opaque_ = false;
  return useful;
}

Segment attribute_segment(std::string_view document, ByteRange bytes, std::string_view value) {
  SegmentBuilder builder(document);
  builder.add_text(bytes, value);
  Segment segment;
  if (!builder.finish(segment)) return {};
  const char first = document[bytes.from];
  segment.range = bytes;
  segment.quote = first == '\'' ? first : '"';
  return segment;
}

bool is_left_out(const Segment& segment, const text::MarkedText& result, std::size_t index) {
  const text::Mark& mark = result.marks[index];
  const bool has_inner = index + 1 < result.marks.size() && result.marks[index + 1].parent == static_cast<int>(index);
  return segment.markup[mark.id].needs_content && mark.span.from == mark.span.to && !has_inner;
}

std::string escape_markup(std::string_view text, char quote) {
  const std::string mark(quote == 0 ? 0 : 1, quote);
  std::string out = mark;
  append_markup(out, text, mark);
  return out + mark;
}

void write_document(std::string_view document, std::vector<Segment> segments, std::vector<Segment> values,
                    std::vector<ByteEdit> edits, EscapeText escape, const TranslateSegments& translate,
                    const Write& write, const AcceptSegment& accepts) {
  sort_by_position(segments);
  const std::size_t runs = segments.size();
  std::ranges::move(values, std::back_inserter(segments));
  std::vector<text::MarkedText> texts;
  for (const Segment& segment : segments) texts.push_back(segment.text);
  const std::vector<text::MarkedText> results = translate(texts);
  check<InternalError>(results.size() == texts.size(), "{} translations of {} segments", results.size(), texts.size());

  for (std::size_t i = runs; i < segments.size(); ++i)
    edits.push_back({segments[i].range, results[i].text == texts[i].text ? std::string(segments[i].range.of(document))
                                                                         : escape(results[i].text, segments[i].quote)});
  sort_by_position(edits);
  std::string out;
  const auto copy = [&](ByteRange range) {
    auto edit = std::ranges::lower_bound(edits, range.from, {}, [](const ByteEdit& e) { return e.range.from; });
    for (; edit != edits.end() && edit->range.to <= range.to; ++edit) {
      if (edit->range.from < range.from) continue;  // a second edit of the same bytes
      out += document.substr(range.from, edit->range.from - range.from);
      out += edit->bytes;
      range.from = edit->range.to;
    }
    out += document.substr(range.from, range.to - range.from);
  };
  std::size_t at = 0;
  for (std::size_t i = 0; i < runs; ++i) {
    check_marks(texts[i], results[i]);
    copy({at, segments[i].range.from});
    const std::size_t before = out.size();
    if (results[i] != texts[i]) SegmentWriter(segments[i], results[i], escape, out, copy).run();
    if (results[i] == texts[i] ||
        (accepts && !accepts(segments[i], results[i], std::string_view(out).substr(before)))) {
      out.resize(before);
      copy(segments[i].range);
    }
    at = segments[i].range.to;
    if (out.size() > (1 << 20)) {
      write(out);
      out.clear();
    }
  }
  copy({at, document.size()});
  write(out);
}

std::string read_document(ByteSource& input, std::size_t limit) {
  std::string document;
  for (std::string_view chunk = input.peek(); !chunk.empty(); chunk = input.peek()) {
    check<InputError>(chunk.size() <= limit - document.size(),
                      "'{}' has more than {} MB, the limit of a document; divide it into several files", input.name(),
                      limit >> 20);
    document += chunk;
    input.skip(chunk.size());
  }
  return document;
}

}  // namespace heed::document
