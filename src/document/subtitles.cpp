// Subtitles, SubRip (srt) and WebVTT (vtt): the text of cues is translated; numbers, time codes, settings, notes and
// styles stay as they are. The lines of a cue are translated as one text and broken again into as many lines. A
// sentence that goes on in the next cue is translated as a whole, and its cues get parts of similar length.
#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "document/document_reader.h"
#include "document/inline_marks.h"
#include "document/segment_queue.h"
#include "document/translate_formats.h"
#include "document/wrap_lines.h"

namespace heed::document {

namespace {

constexpr std::size_t kUsualWidth = 42;  // what broadcasters allow per line
constexpr std::size_t kMaxCue = std::size_t{1} << 20;
constexpr std::size_t kMaxCues = 4;  // that a sentence may go over

struct CueText {
  std::string before = {};  // at its start: {\an8}, or the dash of a speaker
  text::MarkedText text = {};
  MarkTags tags = {};
  std::size_t lines = 1, width = 0;
};

struct Cue {
  std::string head;                 // up to and with the time codes
  std::vector<std::string> lines;   // with their line ends
  std::vector<CueText> texts = {};  // one, or one per speaker
};

std::string_view without_line_end(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_blank_cue_line(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == line.npos;
}

bool is_time_line(std::string_view line) {
  const std::size_t arrow = line.find("-->");
  const std::size_t first = line.find_first_not_of(" \t");
  return arrow != line.npos && first < arrow && std::isdigit(static_cast<unsigned char>(line[first])) != 0 &&
         line.substr(0, arrow).find(':') != line.npos;
}

bool is_number_line(std::string_view line) {
  line = without_line_end(line);
  return !line.empty() && line.find_first_not_of("0123456789 \t") == line.npos;
}

// "- Who is there? / - Me.": each line is the text of another speaker.
bool is_speaker_line(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (line.starts_with('<')) line.remove_prefix(std::min(line.find('>'), line.size() - 1) + 1);
  return line.starts_with('-') || line.starts_with("\xE2\x80\x93") || line.starts_with("\xE2\x80\x94");
}

// The number of bytes of the tag or override that starts the line, 0 if there is none.
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

// Of the lines of a cue; `entities`: & and < are escaped.
CueText parse_cue_text(std::span<const std::string> lines, bool speaker, bool entities) {
  constexpr std::size_t kMaxBefore = 100;  // so that the search for closing tags takes linear time
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
  return cue;
}

// Whether the sentence of a cue goes on in the next one.
bool goes_on(const Cue& cue, const Cue& next) {
  const auto is_plain = [](const Cue& c) {
    return c.texts.size() == 1 && c.texts[0].text.marks.empty() && !c.texts[0].text.text.empty();
  };
  if (!is_plain(cue) || !is_plain(next) || !next.texts[0].before.empty()) return false;
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const std::u32string text = text::decode_utf8(cue.texts[0].text.text),
                       after = text::decode_utf8(next.texts[0].text.text);
  return (text.back() == ',' || classes.is(text.back(), text::kAlphabetic | text::kNumber)) &&
         classes.is(after.front(), text::kLowerLetter);
}

// Parts of the text in proportion to `sizes`, cut at spaces. With fewer words than parts, each is the whole text.
std::vector<std::string> distribute(const std::string& text, std::span<const std::size_t> sizes) {
  std::vector<std::size_t> spaces;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == ' ') spaces.push_back(i);
  if (spaces.size() + 1 < sizes.size()) return std::vector(sizes.size(), text);
  std::size_t total = 0, sum = 0, start = 0, next = 0;
  for (const std::size_t size : sizes) total += size;
  std::vector<std::string> parts;
  for (std::size_t part = 0; part + 1 < sizes.size(); ++part) {
    sum += sizes[part];
    const std::size_t wanted = text.size() * sum / total;
    const std::size_t last = spaces.size() - (sizes.size() - 1 - part);  // leaves a word for each of the others
    const auto distance = [&](std::size_t i) { return std::max(spaces[i], wanted) - std::min(spaces[i], wanted); };
    std::size_t best = next;
    while (best < last && distance(best + 1) <= distance(best)) ++best;
    parts.push_back(text.substr(start, spaces[best] - start));
    start = spaces[best] + 1;
    next = best + 1;
  }
  parts.push_back(text.substr(start));
  return parts;
}

void escape_vtt(std::string& out, std::string_view text) {
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string_view(&c, 1);
}

std::string write_cue_text(const CueText& cue, const text::MarkedText& text, std::string_view line_end, bool entities) {
  text::MarkedText wrapped = wrap_lines(text, cue.lines);
  if (cue.lines == 1 && widest_line(wrapped) > std::max(kUsualWidth, cue.width)) wrapped = wrap_lines(text, 2);
  const std::string out = write_marked_text(wrapped, cue.tags, [&](std::string& to, std::string_view part) {
    if (entities)
      escape_vtt(to, part);
    else
      to += part;
  });
  std::string lines = cue.before;
  for (const char c : out) lines += c == '\n' ? line_end : std::string_view(&c, 1);
  return lines;
}

class SubtitleDocument {
 public:
  SubtitleDocument(ByteSource& input, const Write& write, const TranslateSegments& translate, bool vtt)
      : reader_(input), queue_(write, translate), vtt_(vtt) {}

  void run() {
    queue_.add(reader_.byte_order_mark());
    bool copies = vtt_;  // up to the next blank line: the head of a WebVTT file, a note, a style
    for (std::string line; reader_.next_line(line);) {
      const bool blank = is_blank_cue_line(line), time = !copies && is_time_line(line);
      if (in_cue_ && !blank && !time) {
        add_line(std::move(line));
        continue;
      }
      if (in_cue_) end_cue(time);
      if (blank) copies = false;
      copies = copies || (vtt_ && !in_cue_ && is_block(line));
      // In srt files, a blank line within a cue is a common mistake: what follows is still text.
      const bool stray = !vtt_ && !blank && !time && cues_seen_ && !is_number_line(line);
      if (!stray) head_ += line;
      if (time || stray) {
        cue_ = {.head = std::exchange(head_, {}), .lines = {}};
        in_cue_ = cues_seen_ = true;
      }
      if (stray) add_line(std::move(line));
      if (head_.size() > kMaxPart) queue_cues(), queue_.add(std::exchange(head_, {}));
    }
    if (in_cue_) end_cue(false);
    check<InputError>(cues_seen_ || head_.starts_with("WEBVTT") || is_blank_cue_line(head_),
                      "'{}' has no time codes, such as 00:01:02{}500 --> 00:01:05{}000; it is not a file of subtitles",
                      reader_.name(), vtt_ ? '.' : ',', vtt_ ? '.' : ',');
    queue_cues();
    queue_.add(head_);
    queue_.flush();
  }

 private:
  static bool is_block(std::string_view line) {
    line = without_line_end(line);
    const auto is = [&](std::string_view word) {
      return line.starts_with(word) &&
             (line.size() == word.size() || line[word.size()] == ' ' || line[word.size()] == '\t');
    };
    return is("NOTE") || is("STYLE") || is("REGION");
  }

  void add_line(std::string line) {
    size_ += line.size();
    if (size_ > kMaxCue) reader_.fail("a cue of more than 1 MiB; is a blank line missing?");
    cue_.lines.push_back(std::move(line));
  }

  // `time`: there is no blank line before the time codes of the next cue, so that a number may be the last line.
  void end_cue(bool time) {
    in_cue_ = false;
    size_ = 0;
    std::vector<std::string>& lines = cue_.lines;
    if (time && !vtt_ && !lines.empty() && is_number_line(lines.back())) {
      head_ = std::move(lines.back());
      lines.pop_back();
    }
    const bool speakers = lines.size() > 1 && std::ranges::all_of(lines, is_speaker_line);
    if (speakers)
      for (const std::string& line : lines) cue_.texts.push_back(parse_cue_text(std::span(&line, 1), true, vtt_));
    else if (!lines.empty())
      cue_.texts.push_back(parse_cue_text(lines, false, vtt_));
    if (cues_.size() == kMaxCues || (!cues_.empty() && !goes_on(cues_.back(), cue_))) queue_cues();
    cues_.push_back(std::move(cue_));
  }

  // Those of one sentence.
  void queue_cues() {
    if (cues_.empty()) return;
    queue_.add(cues_.front().head);
    std::string original;
    text::MarkedText whole;
    for (const Cue& cue : cues_) {
      if (&cue != &cues_.front()) original += cue.head;
      for (const std::string& line : cue.lines) original += line;
      if (!whole.text.empty()) whole.text += ' ';
      if (!cue.texts.empty()) append(whole, cue.texts.front().text);
    }
    std::vector<text::MarkedText> segments;
    if (cues_.size() > 1)
      segments.push_back(whole);
    else
      for (const CueText& text : cues_[0].texts) segments.push_back(text.text);
    const bool all = std::ranges::any_of(segments, [](const text::MarkedText& s) { return has_letters(s.text); });
    if (!all) segments.clear();
    queue_.add(
        std::move(segments),
        [cues = std::move(cues_), vtt = vtt_](std::span<const text::MarkedText> translations) {
          return write_cues(cues, translations, vtt);
        },
        std::move(original));
    cues_.clear();
  }

  static std::string write_cues(const std::vector<Cue>& cues, std::span<const text::MarkedText> translations,
                                bool vtt) {
    std::vector<std::size_t> sizes;
    for (const Cue& cue : cues) sizes.push_back(cue.texts[0].text.text.size());
    std::vector<std::string> parts;
    if (cues.size() > 1) parts = distribute(translations[0].text, sizes);
    std::string out;
    for (std::size_t i = 0; i < cues.size(); ++i) {
      const Cue& cue = cues[i];
      const std::string &first = cue.lines.front(), &last = cue.lines.back();
      const std::string_view line_end = first.ends_with("\r\n") ? "\r\n" : "\n";
      if (i > 0) out += cue.head;
      for (std::size_t j = 0; j < cue.texts.size(); ++j) {
        const text::MarkedText text = cues.size() > 1 ? text::MarkedText{parts[i]} : translations[j];
        out += write_cue_text(cue.texts[j], text, line_end, vtt);
        out += j + 1 < cue.texts.size() ? line_end : std::string_view(last).substr(without_line_end(last).size());
      }
    }
    return out;
  }

  DocumentReader reader_;
  SegmentQueue queue_;
  bool vtt_;
  bool in_cue_ = false, cues_seen_ = false;
  std::string head_;
  Cue cue_;
  std::size_t size_ = 0;   // of the lines of the cue
  std::vector<Cue> cues_;  // complete, but not queued: the sentence may go on
};

}  // namespace

void translate_srt(ByteSource& input, const Write& write, const DocumentOptions&, const TranslateSegments& translate) {
  SubtitleDocument(input, write, translate, false).run();
}

void translate_vtt(ByteSource& input, const Write& write, const DocumentOptions&, const TranslateSegments& translate) {
  SubtitleDocument(input, write, translate, true).run();
}

}  // namespace heed::document
