// Subtitles, SubRip (srt) and WebVTT (vtt): the text of cues is translated; numbers, time codes, settings, notes and
// styles stay as they are. The lines of a cue are translated as one text and split again into as many lines. A sentence
// that spans several cues is translated as a whole, and its translation is divided among them in proportion.
#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "document/cue_text.h"
#include "document/document_reader.h"
#include "document/segment_queue.h"
#include "document/translate_formats.h"

namespace heed::document {

namespace {

constexpr std::size_t kMaxCue = std::size_t{1} << 20;
constexpr std::size_t kMaxCues = 4;  // that a sentence may span

struct Cue {
  std::string head;                 // up to and including the time codes
  std::vector<std::string> lines;   // with their line ends
  std::vector<CueText> texts = {};  // one, or one per speaker
};

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

// Whether the sentence of a cue continues in the next one. Tags around the whole text must be the same in both.
bool goes_on(const Cue& cue, const Cue& next) {
  const auto is_plain = [](const Cue& c) {
    return c.texts.size() == 1 && c.texts[0].text.marks.empty() && !c.texts[0].text.text.empty();
  };
  if (!is_plain(cue) || !is_plain(next) || !next.texts[0].before.empty()) return false;
  if (cue.texts[0].open != next.texts[0].open) return false;
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const std::u32string text = text::decode_utf8(cue.texts[0].text.text),
                       after = text::decode_utf8(next.texts[0].text.text);
  return (text.back() == ',' || classes.is(text.back(), text::kAlphabetic | text::kNumber)) &&
         classes.is(after.front(), text::kLowerLetter);
}

// Splits a text at spaces into parts in proportion to `sizes`. If there are fewer words than parts, each part is the
// whole text.
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
    const std::size_t last = spaces.size() - (sizes.size() - 1 - part);  // leaves a word for each remaining part
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

class SubtitleDocument {
 public:
  SubtitleDocument(ByteSource& input, const Write& write, const TranslateSegments& translate, bool vtt)
      : reader_(input), queue_(write, translate), vtt_(vtt) {}

  void run() {
    queue_.add(reader_.byte_order_mark());
    bool copies = vtt_;  // until the next blank line: in the header of a WebVTT file, a note or a style
    for (std::string line; reader_.next_line(line);) {
      const bool blank = is_blank_cue_line(line), time = !copies && is_time_line(line);
      if (in_cue_ && !blank && !time) {
        add_line(std::move(line));
        continue;
      }
      if (in_cue_) end_cue(time);
      if (blank) copies = false;
      copies = copies || (vtt_ && !in_cue_ && is_block(line));
      // In srt files, a blank line within a cue is a common mistake: the lines after it are still text.
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
                      "'{}' has no time codes, such as 00:01:02{}500 --> 00:01:05{}000; it is not a subtitle file",
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

  // `time`: the time codes of the next cue follow without a blank line, so the last line may be that cue's number.
  void end_cue(bool time) {
    in_cue_ = false;
    size_ = 0;
    std::vector<std::string>& lines = cue_.lines;
    if (time && !vtt_ && !lines.empty() && is_number_line(lines.back())) {
      head_ = std::move(lines.back());
      lines.pop_back();
    }
    cue_.texts = parse_cue(lines, vtt_);
    if (cues_.size() == kMaxCues || (!cues_.empty() && !goes_on(cues_.back(), cue_))) queue_cues();
    cues_.push_back(std::move(cue_));
  }

  // Queues the cues of one sentence.
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
        if (j + 1 == cue.texts.size())
          out += std::string_view(last).substr(without_line_end(last).size());
        else
          out += cue.texts[j + 1].same_line ? " " : line_end;
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
  std::vector<Cue> cues_;  // complete, but not queued yet: the sentence may continue
};

}  // namespace

void translate_srt(ByteSource& input, const Write& write, const DocumentOptions&, const TranslateSegments& translate) {
  SubtitleDocument(input, write, translate, false).run();
}

void translate_vtt(ByteSource& input, const Write& write, const DocumentOptions&, const TranslateSegments& translate) {
  SubtitleDocument(input, write, translate, true).run();
}

}  // namespace heed::document
