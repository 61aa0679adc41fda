#include "document/html_limits.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/error.h"

namespace heed::document {
namespace {

bool is_ascii_alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool ends_name(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '/' || c == '>';
}

// Elements without content, and those that end where the next one of their kind begins: these do not nest.
constexpr std::array<std::string_view, 30> kFlat = {
    "area",  "base",  "br",     "col",  "embed", "hr",   "img",    "input", "link",   "meta",
    "param", "wbr",   "p",      "li",   "dt",    "dd",   "tr",     "td",    "th",     "tbody",
    "thead", "tfoot", "option", "html", "head",  "body", "source", "track", "keygen", "frame"};
constexpr std::array<std::string_view, 9> kRawText = {"style",    "xmp",   "iframe", "noembed",  "noframes",
                                                      "textarea", "title", "script", "plaintext"};

class HtmlScan {
 public:
  HtmlScan(std::string_view html, std::string_view name) : html_(html), name_(name) {}

  void run() {
    while ((at_ = html_.find('<', at_)) != html_.npos) {
      const std::string_view rest = html_.substr(at_);
      if (rest.starts_with("<!--"))
        skip_comment();
      else if (foreign_ > 0 && rest.starts_with("<![CDATA["))
        skip_past("]]>");
      else if (rest.size() > 1 && is_ascii_alpha(rest[1]))
        open_tag();
      else if (rest.size() > 2 && rest[1] == '/' && is_ascii_alpha(rest[2]))
        close_tag();
      else
        ++at_;
    }
  }

 private:
  // Limit on the time of the parser, in steps of about a nanosecond.
  static constexpr std::uint64_t kMaxWork = 8'000'000'000;

  void skip_past(std::string_view end) {
    const std::size_t found = html_.find(end, at_);
    at_ = found == html_.npos ? html_.size() : found + end.size();
  }
  void skip_comment() {
    at_ += 4;
    const std::string_view rest = html_.substr(at_);
    if (rest.starts_with(">") || rest.starts_with("->")) return;
    for (; at_ < html_.size(); ++at_) {
      at_ = std::min(html_.find("--", at_), html_.size());
      const std::string_view end = html_.substr(at_);
      if (end.starts_with("-->") || end.starts_with("--!>")) return;
    }
  }
  std::string read_name() {
    std::string name;
    for (; at_ < html_.size() && !ends_name(html_[at_]); ++at_)
      if (name.size() < 64) name += ascii_lower(html_[at_]);
    return name;
  }
  // Moves past the tag and counts its attributes.
  void skip_attributes() {
    std::uint64_t attributes = 0;
    bool in_name = false, after_equals = false;
    for (; at_ < html_.size() && html_[at_] != '>'; ++at_) {
      const char c = html_[at_];
      if (after_equals && (c == '"' || c == '\'')) {
        at_ = std::min(html_.find(c, at_ + 1), html_.size() - 1);
        in_name = after_equals = false;
      } else if (c == '=' && in_name) {
        after_equals = true;
      } else if (ends_name(c)) {
        if (c == '/' || !after_equals) in_name = false;
        if (c == '/') after_equals = false;
      } else {
        attributes += in_name ? 0 : 1;
        in_name = true;
        after_equals = false;
      }
    }
    add_work(attributes * attributes / 2);
  }
  void add_work(std::uint64_t steps) {
    work_ += steps;
    check<InputError>(work_ <= kMaxWork,
                      "{}: up to byte {}, there are too many tags for how deeply they are nested; divide the document "
                      "into several",
                      name_, at_);
  }
  void open_tag() {
    ++at_;
    const std::string name = read_name();
    skip_attributes();
    add_work(depth_);
    if (foreign_ == 0 && std::ranges::find(kRawText, name) != kRawText.end()) return skip_raw_text(name);
    if (foreign_ == 0 && std::ranges::find(kFlat, name) != kFlat.end()) return;
    ++open_[name];
    ++depth_;
    if (name == "svg" || name == "math") ++foreign_;
    check<InputError>(depth_ <= kMaxHtmlDepth,
                      "{}: the elements at byte {} are nested more than {} deep; are end tags missing?", name_, at_,
                      kMaxHtmlDepth);
  }
  void close_tag() {
    at_ += 2;
    const std::string name = read_name();
    skip_attributes();
    add_work(depth_);
    const auto open = open_.find(name);
    if (open == open_.end() || open->second == 0) return;
    --open->second;
    --depth_;
    if (name == "svg" || name == "math") --foreign_;
  }
  bool tag_here(std::string_view tag) const {
    if (html_.size() - at_ <= tag.size() || !ends_name(html_[at_ + tag.size()])) return false;
    return std::ranges::equal(html_.substr(at_, tag.size()), tag, {}, ascii_lower);
  }
  // Skips to the end tag. In a script, after <!-- and a nested <script>, the next </script> does not end the element.
  void skip_raw_text(const std::string& name) {
    const std::string end = "</" + name;
    bool escaped = false, twice = false;
    for (; at_ < html_.size(); ++at_) {
      if (name == "script") {
        if (html_.substr(at_).starts_with("<!--")) escaped = true;
        if (html_.substr(at_).starts_with("-->")) escaped = twice = false;
        if (escaped && tag_here("<script")) twice = true;
      }
      if (html_[at_] != '<' || !tag_here(end)) continue;
      if (!twice) return;
      twice = false;
    }
  }

  std::string_view html_, name_;
  std::size_t at_ = 0;
  std::uint64_t work_ = 0;
  std::size_t depth_ = 0, foreign_ = 0;
  std::unordered_map<std::string, std::size_t> open_;  // by name
};

}  // namespace

void check_html_limits(std::string_view html, std::string_view name) {
  HtmlScan(html, name).run();
}

}  // namespace heed::document
