// JSON: string values are translated, keys are not. Everything else, including white space, stays as it is. Several
// values in a row, as in JSON Lines, are fine.
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "document/document_reader.h"
#include "document/segment_queue.h"
#include "document/translate_formats.h"

namespace heed::document {

namespace {

constexpr std::string_view kJsonNames = "\"\\/bfnrt", kJsonMeanings = "\"\\/\b\f\n\r\t";

// Decodes a string without its quotes. `escaped` is set if characters beyond ASCII are escaped. False if a surrogate
// has no partner, so that the string is not valid text.
bool decode_json_string(std::string_view raw, std::string& text, bool& escaped) {
  char32_t high = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      if (high != 0) return false;
      text += raw[i];
      continue;
    }
    const char c = raw[++i];
    if (c != 'u') {
      if (high != 0) return false;
      text += kJsonMeanings[kJsonNames.find(c)];
      continue;
    }
    const auto unit = static_cast<char32_t>(std::stoul(std::string(raw.substr(i + 1, 4)), nullptr, 16));
    i += 4;
    escaped = escaped || unit >= 0x80;
    const bool is_low = unit >= 0xDC00 && unit < 0xE000;
    if (is_low != (high != 0)) return false;
    if (unit >= 0xD800 && unit < 0xDC00) {
      high = unit;
      continue;
    }
    text::append_utf8(text, is_low ? 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00) : unit);
    high = 0;
  }
  return high == 0;
}

// Encodes a string with quotes. `escape`: escape characters beyond ASCII, as the original did.
std::string encode_json_string(std::string_view text, bool escape) {
  std::string out = "\"";
  for (const char32_t c : text::decode_utf8(text)) {
    const std::size_t named = c < 0x80 && c != '/' ? kJsonMeanings.find(static_cast<char>(c)) : kJsonMeanings.npos;
    if (named != kJsonMeanings.npos)
      (out += '\\') += kJsonNames[named];
    else if (c >= 0x10000 && escape)
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((c - 0x10000) >> 10), 0xDC00 + (c & 0x3FF));
    else if (c < 0x20 || (c >= 0x7F && escape))
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    else
      text::append_utf8(out, c);
  }
  return out + '"';
}

class JsonDocument {
 public:
  JsonDocument(ByteSource& input, const Write& write, const TranslateSegments& translate)
      : reader_(input), queue_(write, translate) {}

  void run() {
    queue_.add(reader_.byte_order_mark());
    while (skip_space(), !reader_.at_end()) take_token();
    if (!open_.empty())
      reader_.fail(fmt::format("the file ends inside {}; it may be truncated", describe(open_.back())));
    queue_.flush();
  }

 private:
  static constexpr std::size_t kMaxDepth = 1000;
  enum class Next : std::uint8_t { value, value_or_end, key, key_or_end, colon, comma_or_end };

  static std::string_view describe(bool object) { return object ? "an object" : "an array"; }

  void skip_space() {
    part_.clear();
    while (!reader_.at_end() && std::string_view(" \t\r\n").find(reader_.peek()) != std::string_view::npos)
      reader_.take(part_);
    queue_.add(part_);
  }

  void take_token() {
    const char c = reader_.peek();
    const bool is_value = next_ == Next::value || next_ == Next::value_or_end;
    part_.clear();
    if (c == '"') {
      const bool is_key = next_ == Next::key || next_ == Next::key_or_end;
      if (!is_key && !is_value) unexpected();
      take_string();
      if (is_key)
        queue_.add(part_);
      else
        add_value();
      next_ = is_key ? Next::colon : after_value();
    } else if (c == '{' || c == '[') {
      if (!is_value) unexpected();
      if (open_.size() == kMaxDepth) reader_.fail(fmt::format("values are nested more than {} deep", kMaxDepth));
      open_.push_back(c == '{');
      next_ = c == '{' ? Next::key_or_end : Next::value_or_end;
      copy_character();
    } else if (c == '}' || c == ']') {
      const bool may_end = next_ == Next::comma_or_end || next_ == (c == '}' ? Next::key_or_end : Next::value_or_end);
      if (open_.empty() || open_.back() != (c == '}') || !may_end) unexpected();
      open_.pop_back();
      next_ = after_value();
      copy_character();
    } else if (c == ',' || c == ':') {
      if (next_ != (c == ',' ? Next::comma_or_end : Next::colon)) unexpected();
      next_ = c == ',' && open_.back() ? Next::key : Next::value;
      copy_character();
    } else {
      if (!is_value) unexpected();
      take_literal();
      next_ = after_value();
    }
  }

  // At the top level, values follow one another without commas.
  Next after_value() const { return open_.empty() ? Next::value : Next::comma_or_end; }

  [[noreturn]] void unexpected() {
    constexpr std::string_view kExpected[] = {
        "a value", "a value or ']'", "a key in double quotes", "a key in double quotes or '}'",
        "':'",     "',' or the end"};
    part_.clear();
    reader_.take(part_);
    reader_.fail(fmt::format("expected {}, found {}; this is not JSON", kExpected[static_cast<std::size_t>(next_)],
                             in_quotes(part_)));
  }

  void copy_character() {
    reader_.take(part_);
    queue_.add(part_);
  }

  void take_literal() {
    while (!reader_.at_end() && std::string_view(" \t\r\n,:{}[]\"").find(reader_.peek()) == std::string_view::npos)
      reader_.take(part_);
    const bool number = part_.find_first_not_of("+-.0123456789eE") == part_.npos;
    if (!number && part_ != "true" && part_ != "false" && part_ != "null")
      reader_.fail(fmt::format("{} is not a JSON value; text needs double quotes", in_quotes(part_)));
    queue_.add(part_);
  }

  // Reads a string into part_, with its quotes.
  void take_string() {
    reader_.take(part_);
    for (bool ended = false; !ended;) {
      if (reader_.at_end()) reader_.fail("the file ends inside a string; it may be truncated");
      const char c = reader_.peek();
      if (static_cast<unsigned char>(c) < 0x20)
        reader_.fail("a line end or control character in a string; write it as \\n");
      reader_.take(part_);
      if (c == '\\') take_escape();
      ended = c == '"';
    }
  }

  void take_escape() {
    const auto hex = [](char c) {
      return std::string_view("0123456789abcdefABCDEF").find(c) != std::string_view::npos;
    };
    const char c = reader_.at_end() ? '\0' : reader_.peek();
    bool good = c == 'u' || (c != '\0' && kJsonNames.find(c) != kJsonNames.npos);
    if (good) reader_.take(part_);
    for (int i = 0; good && c == 'u' && i < 4; ++i) {
      good = !reader_.at_end() && hex(reader_.peek());
      if (good) reader_.take(part_);
    }
    if (!good) reader_.fail("a backslash is followed by something that is not a JSON escape");
  }

  void add_value() {
    text::MarkedText text;
    bool escaped = false;
    const bool good = decode_json_string(std::string_view(part_).substr(1, part_.size() - 2), text.text, escaped);
    if (!good || !is_valid_utf8(text.text)) return queue_.add(part_);
    LineSegments lines(text);
    std::vector<text::MarkedText> segments = lines.segments();
    queue_.add(
        std::move(segments),
        [lines = std::move(lines), escaped](std::span<const text::MarkedText> translations) {
          return encode_json_string(lines.join(translations).text, escaped);
        },
        part_);
  }

  DocumentReader reader_;
  SegmentQueue queue_;
  Next next_ = Next::value;
  std::vector<bool> open_;  // the objects (true) and arrays (false) that we are in
  std::string part_;
};

}  // namespace

void translate_json(ByteSource& input, const Write& write, const DocumentOptions&, const TranslateSegments& translate) {
  JsonDocument(input, write, translate).run();
}

}  // namespace heed::document
