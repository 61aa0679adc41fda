// gettext's PO files: msgid and msgstr. Fuzzy and untranslated entries are skipped and counted; obsolete ones (#~),
// contexts and comments are ignored. Of an entry with plural forms, msgid goes with msgstr[0], and msgid_plural with
// each of the others (with msgstr[0], if the language has only that form). The language of msgstr is in the header.
#include <algorithm>
#include <cctype>
#include <deque>

#include "base/error.h"
#include "base/numbers.h"
#include "data/formats/format.h"
#include "text/languages.h"

namespace heed::data {

namespace {

struct PoEntry {
  std::string id, plural;
  std::vector<std::string> strings;
  bool has_id = false, has_plural = false, has_context = false, fuzzy = false;
  std::int64_t line = 0;
};

class PoFile : public FileSource {
 public:
  PoFile(std::unique_ptr<ByteSource> bytes, const FormatOptions& options) : FileSource(options) {
    name_ = bytes->name();
    if (options.encoding == Encoding::detect) use_declared_encoding(*bytes);
    lines_ = std::make_unique<LineReader>(std::move(bytes));
  }

  bool next(SentencePair& pair) override {
    while (pairs_.empty()) {
      PoEntry entry;
      if (!read_entry(entry)) return false;
      if (entry.id.empty() && !entry.has_context)
        read_header(entry.strings.front());
      else
        add_pairs(entry);
    }
    std::tie(pair.source, pair.target, pair.line) = std::move(pairs_.front());
    if (swap_) std::swap(pair.source, pair.target);
    pairs_.pop_front();
    return true;
  }

  std::string encoding_note() const override { return lines_->note(); }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw InputError("{}:{}: {}; `msgfmt --check-format` may help", name_, lines_->line_number(), what);
  }

  // The header declares the encoding of the whole file.
  void use_declared_encoding(ByteSource& bytes) {
    const std::string sample = bytes.sample();
    const std::size_t at = sample.find("charset=");
    if (at == sample.npos) return;
    const std::size_t start = at + 8, end = sample.find_first_of("\\\"; \n", start);
    const std::string charset = sample.substr(start, end == sample.npos ? end : end - start);
    if (charset == "CHARSET") return;  // a template that nobody has filled in
    const Encoding declared = encoding_by_name(charset);
    check<InputError>(declared != Encoding::detect,
                      "'{}' is in {}, which heed does not read; convert it: msgconv -t UTF-8 {}", name_,
                      in_quotes(charset), name_);
    // A file declared as UTF-8 may still be UTF-16, which is recognized.
    if (declared == Encoding::cp1252) bytes.set_encoding(declared);
  }

  // A line of the file, or the one that was put back.
  bool next_line() {
    if (std::exchange(put_back_, false)) return true;
    return lines_->next(line_);
  }

  // Appends the quoted string that the line has from `at` on.
  void append_string(std::size_t at, std::string& text) {
    at = std::min(line_.find_first_not_of(" \t", at), line_.size());
    if (at == line_.size() || line_[at] != '"') fail("a string in double quotes is missing");
    for (++at; at < line_.size() && line_[at] != '"'; ++at) {
      if (line_[at] != '\\') {
        text += line_[at];
        continue;
      }
      append_escape(++at, text);
    }
    if (at == line_.size()) fail("the string has no closing quote");
    if (has_text(std::string_view(line_).substr(at + 1))) fail("there is text after the closing quote");
    check<InputError>(text.size() <= LineReader::kMaxLine, "{}:{}: a text of more than {} MiB", name_,
                      lines_->line_number(), LineReader::kMaxLine >> 20);
  }

  // Appends the character that an escape stands for. `at` follows the backslash; it is moved to the escape's end.
  void append_escape(std::size_t& at, std::string& text) {
    constexpr std::string_view kNames = "ntrabfv\"\\", kMeanings = "\n\t\r\a\b\f\v\"\\";
    const char c = at < line_.size() ? line_[at] : '\0';
    if (const std::size_t known = kNames.find(c); c != '\0' && known != kNames.npos) {
      text += kMeanings[known];
      return;
    }
    const bool hex = c == 'x';
    std::size_t end = hex ? at + 1 : at;
    int value = 0;
    for (; end < line_.size() && end < at + 3; ++end) {
      const int digit = digit_of(line_[end]);
      if (digit >= (hex ? 16 : 8)) break;
      value = value * (hex ? 16 : 8) + digit;
    }
    if (end == (hex ? at + 1 : at) || value > 255) fail("a backslash is followed by something that is not an escape");
    text += static_cast<char>(value);
    at = end - 1;
  }
  static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 100;
  }

  // "msgstr[1]" has the index 1, "msgstr" the index 0. Moves `at` past it.
  std::size_t read_index(std::size_t& at) {
    if (at >= line_.size() || line_[at] != '[') return 0;
    const std::size_t end = line_.find(']', at);
    int index = -1;
    const bool good = end != line_.npos &&
                      parse_number(std::string_view(line_).substr(at + 1, end - at - 1), index) == std::errc() &&
                      index >= 0 && index < 100;
    if (!good) fail("the number of a plural form is not between 0 and 99");
    at = end + 1;
    return static_cast<std::size_t>(index);
  }

  // The field that the line starts, or null. Moves `at` past the keyword.
  std::string* find_field(PoEntry& entry, std::string& context, std::size_t& at) {
    const auto is = [&](std::string_view word) {
      const bool found =
          line_.starts_with(word) && at == 0 &&
          (line_.size() == word.size() || std::string_view(" \t\"[").find(line_[word.size()]) != word.npos);
      if (found) at = word.size();
      return found;
    };
    if (is("msgctxt")) {
      if (entry.has_context || entry.has_id) fail("msgctxt belongs before msgid");
      entry.has_context = true;
      return &context;
    }
    if (is("msgid_plural")) {
      if (!entry.has_id || entry.has_plural) fail("msgid_plural belongs after msgid");
      entry.has_plural = true;
      return &entry.plural;
    }
    if (is("msgid")) {
      if (std::exchange(entry.has_id, true)) fail("a second msgid follows; msgstr is missing");
      return &entry.id;
    }
    if (is("msgstr")) {
      if (!entry.has_id) fail("msgid is missing before msgstr");
      if (read_index(at) != entry.strings.size()) fail("the forms of msgstr are not numbered 0, 1, 2…");
      return &entry.strings.emplace_back();
    }
    return nullptr;
  }

  // Reads up to the first line that belongs to the following entry; false at the end.
  bool read_entry(PoEntry& entry) {
    std::string context;
    std::string* field = nullptr;
    while (next_line()) {
      const bool starts_next = line_.starts_with('#') || line_.starts_with("msgctxt") ||
                               (line_.starts_with("msgid") && !line_.starts_with("msgid_plural"));
      if (starts_next && !entry.strings.empty()) {
        put_back_ = true;
        return true;
      }
      if (line_.starts_with("#,") && line_.find("fuzzy") != line_.npos) entry.fuzzy = true;
      if (line_.starts_with('#') || !has_text(line_)) continue;
      if (entry.line == 0) entry.line = lines_->line_number();
      std::size_t at = 0;
      if (std::string* found = find_field(entry, context, at))
        field = found;
      else if (line_[line_.find_first_not_of(" \t")] != '"' || field == nullptr)
        fail("expected msgid, msgstr, a string in double quotes or a comment");
      append_string(at, *field);
    }
    if (entry.line > 0 && entry.strings.empty()) fail("the file ends before the msgstr of the last entry");
    return !entry.strings.empty();
  }

  // The header has lines of the form "Language: de".
  void read_header(std::string_view header) {
    constexpr std::string_view kKey = "Language:";
    std::string language;
    for (std::size_t at = 0; at < header.size();) {
      const std::size_t end = std::min(header.find('\n', at), header.size());
      const std::string_view line = header.substr(at, end - at);
      if (line.starts_with(kKey)) language = line.substr(kKey.size());
      at = end + 1;
    }
    std::erase_if(language, [](unsigned char c) { return std::isspace(c) != 0; });
    if (!language.empty()) orient(language);
  }

  void orient(const std::string& language) {
    const auto is_it = [&](const std::string& other) {
      return !other.empty() && text::language_key(other) == text::language_key(language);
    };
    const std::string &source = options_.languages.source, &target = options_.languages.target;
    swap_ = is_it(source) && !is_it(target);
    check<InputError>(swap_ || target.empty() || is_it(target), "'{}' translates into {}, but the pairs should go {}",
                      name_, text::describe_language(language), describe(options_.languages));
    if (source.empty() && target.empty()) choose_languages({"", language}, "as its header says");
  }

  void add_pairs(const PoEntry& entry) {
    if (entry.fuzzy) {
      ++fuzzy_;
      return;
    }
    for (std::size_t i = 0; i < entry.strings.size(); ++i) {
      const bool plural = entry.has_plural && (i > 0 || entry.strings.size() == 1);
      std::string id = plural ? entry.plural : entry.id, string = entry.strings[i];
      join_lines(id);
      join_lines(string);
      if (has_text(id) && has_text(string))
        pairs_.emplace_back(std::move(id), std::move(string), entry.line);
      else
        ++one_sided_;
    }
  }

  std::unique_ptr<LineReader> lines_;
  std::string line_;
  bool put_back_ = false, swap_ = false;
  std::deque<std::tuple<std::string, std::string, std::int64_t>> pairs_;  // of the current entry
};

}  // namespace

std::unique_ptr<PairSource> open_po(std::unique_ptr<ByteSource> bytes, const FormatOptions& options) {
  return std::make_unique<PoFile>(std::move(bytes), options);
}

}  // namespace heed::data
