// gettext PO files: entries without a translation get one. Translated and fuzzy entries, comments, contexts and
// obsolete entries stay as they are. In the header, the fields that a template leaves open are filled in: the language,
// its plural forms, the encoding. A missing header and missing plural forms are added, because gettext needs them.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "document/document_reader.h"
#include "document/po_text.h"
#include "document/segment_queue.h"
#include "document/translate_formats.h"

namespace heed::document {

namespace {

struct PoMessage {
  std::string before;              // lines up to the first msgstr
  std::string strings;             // lines of msgstr
  std::string after;               // blank lines
  std::string id, plural, string;  // decoded
  std::string flags;
  bool has_context = false, has_id = false, has_plural = false;
  bool wrapped = false;   // msgid spans several lines
  std::size_t forms = 0;  // number of msgstr
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
}

class PoDocument {
 public:
  PoDocument(ByteSource& input, const Write& write, const DocumentOptions& options, const TranslateSegments& translate)
      : change_charset_(use_declared_encoding(input, input.sample(), "Content-Type: text/plain; charset=", "\\\"; \n")),
        reader_(input),
        queue_(write, translate),
        options_(options) {}

  void run() {
    queue_.add(reader_.byte_order_mark());
    for (std::string line; reader_.next_line(line);) {
      const bool comment = line.starts_with('#');
      const bool starts_next = comment || is_keyword(line, "msgctxt") || is_keyword(line, "msgid");
      if (starts_next && message_.forms > 0) end_message();
      if (comment && line.starts_with("#,")) message_.flags += line;
      if (comment || line.find_first_not_of(" \t\r\n") == line.npos) {
        (message_.forms > 0 ? message_.after : message_.before) += line;
        if (message_.before.size() > kMaxPart && !message_.has_id) queue_.add(std::exchange(message_.before, {}));
        continue;
      }
      take_field(line);
    }
    if (message_.has_id && message_.forms == 0) reader_.fail("the file ends before the msgstr of the last entry");
    end_message();
    queue_.flush();
  }

 private:
  enum class Field : std::uint8_t { none, context, id, plural, string };

  static bool is_keyword(std::string_view line, std::string_view word) {
    if (!line.starts_with(word)) return false;
    const std::string_view rest = line.substr(word.size());
    return rest.empty() || std::string_view(" \t\"[").find(rest[0]) != std::string_view::npos;
  }

  void take_field(const std::string& line) {
    constexpr std::pair<std::string_view, Field> kFields[] = {
        {"msgctxt", Field::context}, {"msgid_plural", Field::plural}, {"msgid", Field::id}, {"msgstr", Field::string}};
    PoMessage& message = message_;
    const auto* const found = std::ranges::find_if(kFields, [&](const auto& f) { return is_keyword(line, f.first); });
    const std::size_t quote = std::min(line.find('"'), line.size());
    std::string text;
    if (found == std::end(kFields) && (line.find_first_not_of(" \t") != quote || field_ == Field::none))
      fail("expected msgid, msgstr, a string in double quotes or a comment");
    if (!decode_po_string(std::string_view(line).substr(quote), text)) fail("expected a string in double quotes");
    const bool starts = found != std::end(kFields);
    if (starts) field_ = found->second;
    if (starts && field_ == Field::id && std::exchange(message.has_id, true))
      fail("a second msgid follows; msgstr is missing");
    if (field_ != Field::context && !message.has_id) fail("msgid is missing");
    if (starts && field_ == Field::plural) message.has_plural = true;
    message.forms += starts && field_ == Field::string;
    message.wrapped |= !starts && field_ == Field::id;
    switch (field_) {
      case Field::id:
        message.id += text;
        break;
      case Field::plural:
        message.plural += text;
        break;
      case Field::context:
        message.has_context = true;
        break;
      default:
        message.string += text;
        break;
    }
    if (field_ == Field::string)
      (message.strings += std::exchange(message.after, {})) += line;
    else
      message.before += line;
    if (message.before.size() + message.strings.size() > kMaxPart) fail("an entry of more than 16 MiB");
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw InputError("{}:{}: {}; `msgfmt --check-format` may help", reader_.name(), reader_.line() - 1, what);
  }

  void end_message() {
    PoMessage message = std::exchange(message_, {});
    field_ = Field::none;
    const bool is_header = message.has_id && message.id.empty() && !message.has_context;
    if (is_header) fill_header(message);
    if (message.has_id && !std::exchange(has_header_, true) && !is_header) add_header(message);
    queue_.add(message.before);
    if (message.has_id && !is_header && message.string.empty())
      add_message(std::move(message));
    else
      (queue_.add(message.strings), queue_.add(message.after));
  }

  void fill_header(PoMessage& message) {
    std::string& lines = message.strings;
    if (change_charset_) {
      const std::size_t at = lines.find("charset="), start = at + 8;
      if (at != lines.npos) lines.replace(start, lines.find_first_of("\\\"; \n", start) - start, "UTF-8");
    }
    const std::string& language = options_.target_language;
    if (!language.empty()) {
      std::string tag = language;
      std::ranges::replace(tag, '-', '_');
      replace_all(lines, "\"Language: \\n\"", fmt::format("\"Language: {}\\n\"", tag));
      replace_all(lines, "\"Language:\\n\"", fmt::format("\"Language: {}\\n\"", tag));
      if (const std::string_view forms = plural_forms(language); !forms.empty())
        replace_all(lines, "nplurals=INTEGER; plural=EXPRESSION;", forms);
      if (message.string.find("Plural-Forms:") == message.string.npos) add_plural_forms(message);
    }
    const std::size_t at = lines.find("nplurals=");
    if (at != lines.npos && at + 9 < lines.size() && lines[at + 9] >= '1' && lines[at + 9] <= '9')
      plurals_ = static_cast<std::size_t>(lines[at + 9] - '0');
  }

  static std::string_view line_end_of(const PoMessage& message) {
    return message.strings.find("\r\n") == std::string::npos ? "\n" : "\r\n";
  }

  void add_plural_forms(PoMessage& message) {
    const std::string_view forms = plural_forms(options_.target_language);
    if (forms.empty()) return;
    const std::string_view line_end = line_end_of(message);
    if (!message.strings.ends_with('\n')) message.strings += line_end;
    const bool ends_field = message.string.empty() || message.string.ends_with('\n');
    message.strings += fmt::format("\"{}Plural-Forms: {}\\n\"{}", ends_field ? "" : "\\n", forms, line_end);
  }

  // Called before the first message of a file without a header.
  void add_header(const PoMessage& first) {
    if (options_.target_language.empty()) return;
    const std::string_view line_end = line_end_of(first);
    PoMessage header;
    header.strings = fmt::format(
        "msgid \"\"{0}msgstr \"\"{0}\"Content-Type: text/plain; charset=UTF-8\\n\"{0}\"Language: \\n\"{0}", line_end);
    fill_header(header);
    queue_.add(header.strings);
    queue_.add(line_end);
  }

  void add_message(PoMessage message) {
    LineSegments singular(text_of(message.id)), plural(text_of(message.plural));
    std::vector<text::MarkedText> segments = singular.segments();
    std::ranges::copy(plural.segments(), std::back_inserter(segments));
    const std::string after = message.after;
    std::string unchanged = write_strings(message, message.id, message.plural, plurals_);
    queue_.add(
        std::move(segments),
        [=, plurals = plurals_, message = std::move(message)](std::span<const text::MarkedText> translations) {
          const std::size_t first = singular.segments().size();
          return write_strings(message, singular.join(translations.first(first)).text,
                               plural.join(translations.subspan(first)).text, plurals);
        },
        std::move(unchanged));
    queue_.add(after);
  }

  static text::MarkedText text_of(const std::string& text) {
    return {is_valid_utf8(text) ? text : replace_bad_utf8(text)};
  }

  // Whether a flag such as c-format is set, and not no-c-format.
  static bool has_format(std::string_view flags) {
    for (std::size_t at = 0; at < flags.size();) {
      const std::size_t from = std::min(flags.find_first_not_of("#, \t\r\n", at), flags.size());
      at = std::min(flags.find_first_of(", \t\r\n", from), flags.size());
      const std::string_view flag = flags.substr(from, at - from);
      if (flag.ends_with("-format") && !flag.starts_with("no-")) return true;
    }
    return false;
  }

  static std::string write_strings(const PoMessage& message, const std::string& singular, const std::string& plural,
                                   std::size_t plurals) {
    const std::string_view line_end = line_end_of(message);
    const std::size_t forms = message.has_plural ? (plurals > 0 ? plurals : message.forms) : 1;
    // With different placeholders, the program might crash: no translation is better.
    if (has_format(message.flags) &&
        (!has_same_placeholders(message.id, singular) || !has_same_placeholders(message.plural, plural)))
      return message.strings;
    std::string out;
    for (std::size_t i = 0; i < forms; ++i) {
      const std::string keyword = message.has_plural ? fmt::format("msgstr[{}]", i) : "msgstr";
      const bool is_plural = message.has_plural && (i > 0 || forms == 1);
      out += encode_po_field(keyword, is_plural ? plural : singular, message.wrapped, line_end);
    }
    if (!message.strings.ends_with('\n')) out.resize(out.size() - line_end.size());
    return out;
  }

  bool change_charset_;
  DocumentReader reader_;
  SegmentQueue queue_;
  const DocumentOptions& options_;
  PoMessage message_;
  Field field_ = Field::none;  // of the last line
  bool has_header_ = false;
  std::size_t plurals_ = 0;  // number of plural forms in the header; 0: not known
};

}  // namespace

void translate_po(ByteSource& input, const Write& write, const DocumentOptions& options,
                  const TranslateSegments& translate) {
  PoDocument(input, write, options, translate).run();
}

}  // namespace heed::document
