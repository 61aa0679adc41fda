#include "document/markdown_inline.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "document/markdown_text.h"
#include "text/unicode.h"

namespace heed::document {
namespace {

struct Delimiters {
  std::size_t from, to;  // the part of the run that is not matched yet
  char character;
  bool can_open, can_close;
  std::size_t length;  // of the whole run
};

class InlineScan {
 public:
  InlineScan(std::string_view text, const std::function<bool(std::string_view)>& is_defined)
      : text_(text), is_defined_(is_defined) {}

  std::vector<InlineEvent> run() {
    while (at_ < text_.size()) step();
    match_emphasis(0);
    std::ranges::stable_sort(events_, {}, &InlineEvent::from);
    pair_tags();
    return std::move(events_);
  }

 private:
  struct Bracket {
    std::size_t from, to;
    bool is_image, is_active = true;
    std::size_t delimiters, events, tags;  // how many there were before the bracket
  };
  struct Tag {
    std::size_t from, to;
    std::string name;
    bool closes = false, is_alone = false;
  };

  char char_at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  void add(InlineEvent::Kind kind, std::size_t from, std::size_t to, std::string kept = {}) {
    events_.push_back({kind, from, to, std::move(kept)});
  }
  void step();
  void code_span();
  void formula();
  void angle();
  void html_tag();
  void close_bracket();
  std::size_t end_of_destination(std::size_t from) const;
  void delimiter_run();
  bool is_space_beside(std::size_t at, bool before) const;
  bool is_punctuation_beside(std::size_t at, bool before) const;
  void match_emphasis(std::size_t bottom);
  void pair_tags();

  std::string_view text_;
  const std::function<bool(std::string_view)>& is_defined_;
  std::size_t at_ = 0;
  std::vector<InlineEvent> events_;
  std::vector<Bracket> brackets_;
  std::vector<Delimiters> delimiters_;
  std::vector<Tag> tags_;
  std::map<std::size_t, bool> unclosed_code_;  // by the length of the run of backticks
};

void InlineScan::step() {
  const char c = text_[at_];
  if (c == '\\') {
    if (char_at(at_ + 1) == '\n') {
      add(InlineEvent::Kind::boundary, at_, at_ + 2);
      at_ += 2;
    } else {
      at_ += at_ + 1 < text_.size() && is_md_punctuation(text_[at_ + 1]) ? 2 : 1;
    }
  } else if (c == ' ' && text_.substr(at_).starts_with("  ")) {
    const std::size_t end = std::min(text_.find_first_not_of(' ', at_), text_.size());
    if (char_at(end) == '\n') add(InlineEvent::Kind::boundary, at_, end + 1);
    at_ = char_at(end) == '\n' ? end + 1 : end;
  } else if (c == '`') {
    code_span();
  } else if (c == '$') {
    formula();
  } else if (c == '<') {
    angle();
  } else if (c == '&') {
    const auto [size, character] = parse_markdown_entity(text_.substr(at_));
    if (size > 0 && character == 0) add(InlineEvent::Kind::opaque, at_, at_ + size);
    at_ += std::max<std::size_t>(size, 1);
  } else if (c == '[' || (c == '!' && char_at(at_ + 1) == '[')) {
    const std::size_t end = at_ + (c == '!' ? 2 : 1);
    brackets_.push_back({.from = at_,
                         .to = end,
                         .is_image = c == '!',
                         .delimiters = delimiters_.size(),
                         .events = events_.size(),
                         .tags = tags_.size()});
    at_ = end;
  } else if (c == ']') {
    close_bracket();
  } else if (c == '*' || c == '_' || c == '~') {
    delimiter_run();
  } else {
    ++at_;
  }
}

void InlineScan::code_span() {
  const std::size_t inner = std::min(text_.find_first_not_of('`', at_), text_.size());
  const std::size_t length = inner - at_;
  const std::string fence(length, '`');
  for (std::size_t end = inner; !unclosed_code_[length] && end < text_.size();) {
    end = text_.find(fence, end);
    if (end == text_.npos) break;
    const std::size_t after = std::min(text_.find_first_not_of('`', end), text_.size());
    if (after - end == length) {
      add(InlineEvent::Kind::opaque, at_, after, std::string(text_.substr(inner, end - inner)));
      at_ = after;
      return;
    }
    end = after;
  }
  unclosed_code_[length] = true;
  at_ = inner;
}

// $x^2$ or $$x^2$$. As in Pandoc, there is no space next to the inner sides, and no digit after it; so that amounts of
// money are not formulas, one that has spaces also needs a sign that is rare in text.
void InlineScan::formula() {
  constexpr std::size_t kLongest = 1000;
  const std::size_t width = char_at(at_ + 1) == '$' ? 2 : 1, inner = at_ + width;
  std::size_t end = inner;
  while (end < text_.size() && end < inner + kLongest && text_[end] != '$') end += text_[end] == '\\' ? 2 : 1;
  const std::size_t after = end + width;
  if (end <= inner || after > text_.size() || text_.substr(end, width) != text_.substr(at_, width) ||
      is_md_space(text_[inner]) || is_md_space(text_[end - 1]) || char_at(after) == '$' ||
      std::isdigit(static_cast<unsigned char>(char_at(after))) != 0)
    return void(at_ = inner);
  const std::string_view content = text_.substr(inner, end - inner);
  const bool has_space = std::ranges::any_of(content, is_md_space);
  if (has_space && content.find_first_of("\\^_={}<>") == content.npos) return void(at_ = inner);
  add(InlineEvent::Kind::opaque, at_, after, std::string(content));
  at_ = after;
}

// <https://example.org>, <name@example.org>, an HTML tag or a comment.
void InlineScan::angle() {
  constexpr std::size_t kLongest = 4096;
  const std::string_view rest = text_.substr(at_, kLongest);
  if (rest.starts_with("<!--")) {
    const std::size_t end = rest.find("-->");
    if (end != rest.npos) add(InlineEvent::Kind::opaque, at_, at_ + end + 3);
    at_ += end == rest.npos ? 1 : end + 3;
    return;
  }
  const std::size_t end = rest.find_first_of("> \t\r\n<", 1);
  if (end != rest.npos && rest[end] == '>') {
    const std::string_view inner = rest.substr(1, end - 1);
    const std::size_t colon = inner.find(':'), at_sign = inner.find('@');
    const bool is_link = colon != inner.npos && colon > 1 && std::isalpha(static_cast<unsigned char>(inner[0])) != 0 &&
                         std::ranges::all_of(inner.substr(0, colon),
                                             [](char c) { return is_md_alnum(c) || c == '+' || c == '.' || c == '-'; });
    if (is_link || (at_sign != inner.npos && at_sign > 0 && at_sign + 1 < inner.size() && inner[0] != '/')) {
      add(InlineEvent::Kind::opaque, at_, at_ + end + 1, std::string(inner));
      at_ += end + 1;
      return;
    }
  }
  html_tag();
}

void InlineScan::html_tag() {
  constexpr std::size_t kLongest = 4096;
  const std::size_t name = at_ + (char_at(at_ + 1) == '/' ? 2 : 1);
  if (std::isalpha(static_cast<unsigned char>(char_at(name))) == 0) return void(++at_);
  std::size_t end = name;
  while (is_md_alnum(char_at(end)) || char_at(end) == '-') ++end;
  Tag tag{.from = at_, .to = 0, .name = std::string(text_.substr(name, end - name)), .closes = name == at_ + 2};
  char quote = 0;
  const char first = char_at(end);
  for (std::size_t i = end; i < std::min(text_.size(), at_ + kLongest) && tag.to == 0; ++i) {
    const char c = text_[i];
    if (quote != 0)
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '<')
      break;
    else if (c == '>')
      tag.to = i + 1;
  }
  if (tag.to == 0 || !(is_md_space(first) || first == '/' || first == '>')) return void(++at_);
  std::ranges::transform(tag.name, tag.name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  tag.is_alone = text_[tag.to - 2] == '/' || tag.name == "br" || tag.name == "img" || tag.name == "wbr";
  at_ = tag.to;
  if (tag.is_alone)
    add(InlineEvent::Kind::opaque, tag.from, tag.to);
  else
    tags_.push_back(std::move(tag));
}

// The end of "(destination "title")", with `from` after the opening parenthesis; 0 if the text is something else.
std::size_t InlineScan::end_of_destination(std::size_t from) const {
  constexpr std::size_t kLongest = 4096;
  const std::size_t limit = std::min(text_.size(), from + kLongest);
  const auto skip_space = [&](std::size_t i) {
    while (i < limit && is_md_space(text_[i])) ++i;
    return i;
  };
  std::size_t i = skip_space(from);
  if (char_at(i) == '<') {
    i = std::min(text_.find_first_of(">\n", i + 1), limit);
    if (char_at(i) != '>') return 0;
    ++i;
  } else {
    int depth = 0;
    for (; i < limit && !is_md_space(text_[i]) && !(text_[i] == ')' && depth == 0); ++i) {
      if (text_[i] == '\\') ++i;
      if (char_at(i) == '(') ++depth;
      if (char_at(i) == ')') --depth;
      if (depth > 32) return 0;
    }
  }
  const std::size_t after = i;
  i = skip_space(i);
  const char quote = char_at(i) == '(' ? ')' : char_at(i);
  if (i > after && (quote == '"' || quote == '\'' || quote == ')') && char_at(i) != ')') {
    for (++i; i < limit && text_[i] != quote; ++i)
      if (text_[i] == '\\') ++i;
    i = skip_space(i + 1);
  }
  return i < limit && text_[i] == ')' ? i + 1 : 0;
}

void InlineScan::close_bracket() {
  const std::size_t here = at_++;
  if (brackets_.empty()) return;
  const Bracket bracket = brackets_.back();
  brackets_.pop_back();
  if (!bracket.is_active) return;
  const std::string_view label = text_.substr(bracket.to, here - bracket.to);
  std::size_t end = char_at(at_) == '(' ? end_of_destination(at_ + 1) : 0;
  bool is_reference = false;  // the text of the link is its label
  if (end == 0 && char_at(at_) == '[') {
    constexpr std::size_t kLongest = 1000;
    const std::size_t close = text_.substr(0, at_ + kLongest).find(']', at_);
    if (close == at_ + 1 && is_defined_(label)) {
      is_reference = true;
      end = close + 1;
    } else if (close != text_.npos && close > at_ + 1 && is_defined_(text_.substr(at_ + 1, close - at_ - 1))) {
      end = close + 1;
    }
  }
  if (end == 0 && (label.starts_with('^') || is_defined_(label))) {
    is_reference = true;
    end = here + 1;
  }
  if (end == 0) return;
  if (is_reference) {
    events_.resize(bracket.events);
    delimiters_.resize(bracket.delimiters);
    tags_.resize(bracket.tags);
    const bool is_note = label.starts_with('^');
    add(InlineEvent::Kind::opaque, bracket.from, end, is_note ? std::string() : decode_markdown(label));
  } else {
    match_emphasis(bracket.delimiters);
    add(InlineEvent::Kind::open, bracket.from, bracket.to);
    add(InlineEvent::Kind::close, here, end);
  }
  if (!bracket.is_image)
    for (Bracket& outer : brackets_) outer.is_active = outer.is_active && outer.is_image;
  at_ = end;
}

bool InlineScan::is_space_beside(std::size_t at, bool before) const {
  return before ? at == 0 || is_md_space(text_[at - 1]) : at >= text_.size() || is_md_space(text_[at]);
}

bool InlineScan::is_punctuation_beside(std::size_t at, bool before) const {
  if (before ? at == 0 : at >= text_.size()) return false;
  std::size_t from = before ? at - 1 : at;
  while (before && from > 0 && at - from < 4 && (static_cast<unsigned char>(text_[from]) & 0xC0) == 0x80) --from;
  const std::u32string c = text::decode_utf8(text_.substr(from, before ? at - from : 4));
  return !c.empty() && text::CharacterClasses::get().is(c[0], text::kPunctuation | text::kSymbol);
}

void InlineScan::delimiter_run() {
  const char c = text_[at_];
  const std::size_t end = std::min(text_.find_first_not_of(c, at_), text_.size());
  const bool space_before = is_space_beside(at_, true), space_after = is_space_beside(end, false);
  const bool mark_before = is_punctuation_beside(at_, true), mark_after = is_punctuation_beside(end, false);
  const bool left = !space_after && (!mark_after || space_before || mark_before);
  const bool right = !space_before && (!mark_before || space_after || mark_after);
  Delimiters run{.from = at_, .to = end, .character = c, .can_open = left, .can_close = right, .length = end - at_};
  if (c == '_') {
    run.can_open = left && (!right || mark_before);
    run.can_close = right && (!left || mark_after);
  }
  if (c != '~' || run.length == 2) delimiters_.push_back(run);
  at_ = end;
}

// Pairs the delimiter runs from `bottom` on and removes them. See "process emphasis" in the CommonMark specification.
void InlineScan::match_emphasis(std::size_t bottom) {
  std::map<std::array<std::size_t, 3>, std::size_t> no_opener;  // by kind of closer: openers below this do not match
  std::vector<std::size_t> openers;                             // indices of runs that may still open
  for (std::size_t closer = bottom; closer < delimiters_.size(); ++closer) {
    Delimiters& close = delimiters_[closer];
    while (close.can_close && close.from < close.to) {
      const std::array key{static_cast<std::size_t>(close.character), close.length % 3,
                           static_cast<std::size_t>(close.can_open)};
      const std::size_t lowest = no_opener[key];
      std::size_t found = openers.size();
      while (found > lowest) {
        const Delimiters& open = delimiters_[openers[found - 1]];
        const bool odd = (open.can_close || close.can_open) && (open.length + close.length) % 3 == 0 &&
                         (open.length % 3 != 0 || close.length % 3 != 0);
        if (open.character == close.character && !odd) break;
        --found;
      }
      if (found <= lowest) {
        no_opener[key] = openers.size();
        break;
      }
      openers.resize(found);
      for (auto& [unused, limit] : no_opener) limit = std::min(limit, found);
      Delimiters& open = delimiters_[openers.back()];
      const std::size_t width = open.to - open.from >= 2 && close.to - close.from >= 2 ? 2 : 1;
      add(InlineEvent::Kind::open, open.to - width, open.to);
      events_.back().is_emphasis = true;
      add(InlineEvent::Kind::close, close.from, close.from + width);
      open.to -= width;
      close.from += width;
      if (open.from == open.to) openers.pop_back();
    }
    if (close.can_open && close.from < close.to) openers.push_back(closer);
  }
  delimiters_.resize(bottom);
}

// HTML tags that have a partner become open and close; the others stay boundaries.
void InlineScan::pair_tags() {
  if (tags_.empty()) return;
  std::vector<InlineEvent> all;
  struct Open {
    std::size_t event;
    const Tag* tag;  // null: other markup
  };
  std::vector<Open> open;
  auto tag = tags_.begin();
  const auto add_tag = [&] {
    InlineEvent event{InlineEvent::Kind::boundary, tag->from, tag->to};
    if (!tag->closes) open.push_back({all.size(), &*tag});
    if (tag->closes && !open.empty() && open.back().tag != nullptr && open.back().tag->name == tag->name) {
      all[open.back().event].kind = InlineEvent::Kind::open;
      event.kind = InlineEvent::Kind::close;
      open.pop_back();
    }
    all.push_back(std::move(event));
    ++tag;
  };
  for (InlineEvent& event : events_) {
    while (tag != tags_.end() && tag->from < event.from) add_tag();
    if (event.kind == InlineEvent::Kind::open) open.push_back({all.size(), nullptr});
    if (event.kind == InlineEvent::Kind::close) {
      while (!open.empty() && open.back().tag != nullptr) open.pop_back();
      if (!open.empty()) open.pop_back();
    }
    all.push_back(std::move(event));
  }
  while (tag != tags_.end()) add_tag();
  events_ = std::move(all);
}

}  // namespace

std::vector<InlineEvent> scan_inline_markup(std::string_view paragraph,
                                            const std::function<bool(std::string_view)>& is_defined) {
  return InlineScan(paragraph, is_defined).run();
}

}  // namespace heed::document
