// CSV and TSV: the cells of the chosen columns are translated. Separators, quotes and all other cells stay as they are.
#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "document/document_reader.h"
#include "document/segment_queue.h"
#include "document/translate_formats.h"

namespace heed::document {

namespace {

// Decodes a cell. A quote after the closing one is text, as in spreadsheets.
std::string decode_cell(std::string_view raw) {
  if (!raw.starts_with('"')) return std::string(raw);
  std::string text;
  bool quoted = true;
  for (std::size_t i = 1; i < raw.size(); ++i) {
    const bool is_quote = quoted && raw[i] == '"';
    if (is_quote && raw.substr(i + 1).starts_with('"'))
      text += raw[i++];
    else if (is_quote)
      quoted = false;
    else
      text += raw[i];
  }
  return text;
}

std::string encode_cell(std::string_view text, bool quoted, char separator) {
  const std::array special = {'"', '\r', '\n', separator};
  if (!quoted && std::ranges::find_first_of(text, special) == text.end()) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

// The most frequent separator of the first line; a comma if there is none.
char guess_separator(std::string_view sample) {
  char best = ',';
  std::ptrdiff_t most = 0;
  bool quoted = false;
  std::string line;
  for (const char c : sample) {
    if (c == '"') quoted = !quoted;
    if (c == '\n' && !quoted && !line.empty()) break;
    if (!quoted && c != '\n') line += c;
  }
  for (const char separator : {',', ';', '\t', '|'}) {
    const std::ptrdiff_t count = std::ranges::count(line, separator);
    if (count > most) most = count, best = separator;
  }
  return best;
}

class TableDocument {
 public:
  TableDocument(ByteSource& input, const Write& write, const DocumentOptions& options,
                const TranslateSegments& translate, bool has_quotes)
      : separator_(has_quotes ? guess_separator(input.sample()) : '\t'),
        has_quotes_(has_quotes),
        reader_(input),
        queue_(write, translate),
        columns_(options.columns) {}

  void run() {
    queue_.add(reader_.byte_order_mark());
    for (bool first = true; next_row(); first = false) {
      const bool is_header = first && choose_columns();
      for (std::size_t i = 0; i < cells_.size(); ++i) {
        if (i > 0) queue_.add(std::string_view(&separator_, 1));
        if (!is_header && std::ranges::binary_search(chosen_, i))
          add_cell(std::move(cells_[i]));
        else
          queue_.add(cells_[i]);
      }
      queue_.add(line_end_);
    }
    queue_.flush();
  }

 private:
  // Fills cells_ and line_end_; false at the end.
  bool next_row() {
    cells_.assign(1, {});
    line_end_.clear();
    if (reader_.at_end()) return false;
    const std::int64_t line = reader_.line();
    std::size_t size = 0;
    for (bool quoted = false; !reader_.at_end(); ++size) {
      const char c = reader_.peek();
      std::string& cell = cells_.back();
      // A quote opens a cell only at its start; a doubled one closes and reopens it.
      if (has_quotes_ && c == '"' && (quoted || cell.empty() || (cell.front() == '"' && cell.back() == '"')))
        quoted = !quoted;
      if (!quoted && c == '\n') {
        reader_.take(line_end_);
        if (cell.ends_with('\r')) cell.pop_back(), line_end_ = "\r\n";
        return true;
      }
      if (!quoted && c == separator_) {
        std::string unused;
        reader_.take(unused);
        cells_.emplace_back();
        continue;
      }
      if (size >= kMaxPart || (quoted && size + 1 >= kMaxPart))
        throw InputError("{}:{}: a row of more than 16 MiB; is a quote missing?", reader_.name(), line);
      reader_.take(cell);
      if (reader_.at_end() && quoted)
        throw InputError("{}:{}: a quoted cell of this row has no closing quote", reader_.name(), line);
    }
    return true;
  }

  // Sets chosen_ from the first row; returns whether that row is a header.
  bool choose_columns() {
    std::vector<std::string> names;
    for (const std::string& cell : cells_) names.push_back(has_quotes_ ? decode_cell(cell) : cell);
    std::string listed;
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 20); ++i)
      listed += fmt::format("{}{} {}", i == 0 ? "" : ", ", i + 1, in_quotes(names[i]));
    if (columns_.empty())
      throw UsageError(
          "'{}' is a table: choose the columns to translate by name or number, such as --columns {}; its first row is "
          "{}",
          reader_.name(), names.size() > 1 ? 2 : 1, listed);
    bool named = false;
    for (const std::string& column : columns_) {
      std::size_t number = 0;
      const auto found = std::ranges::find(names, column);
      if (found != names.end()) {
        chosen_.push_back(static_cast<std::size_t>(found - names.begin()));
        named = true;
      } else if (parse_number(column, number) == std::errc() && number >= 1 && number <= names.size()) {
        chosen_.push_back(number - 1);
      } else {
        throw UsageError("--columns: '{}' has no column {}; its first row is {}", reader_.name(), in_quotes(column),
                         listed);
      }
    }
    std::ranges::sort(chosen_);
    return named;
  }

  void add_cell(std::string cell) {
    const bool quoted = has_quotes_ && cell.starts_with('"');
    text::MarkedText text{has_quotes_ ? decode_cell(cell) : cell};
    if (!is_valid_utf8(text.text)) text.text = replace_bad_utf8(text.text);
    LineSegments lines(text);
    std::vector<text::MarkedText> segments = lines.segments();
    queue_.add(
        std::move(segments),
        [lines = std::move(lines), quoted, separator = separator_,
         has_quotes = has_quotes_](std::span<const text::MarkedText> translations) {
          std::string out = lines.join(translations).text;
          if (has_quotes) return encode_cell(out, quoted, separator);
          std::ranges::replace(out, separator, ' ');
          return out;
        },
        std::move(cell));
  }

  char separator_;
  bool has_quotes_;
  DocumentReader reader_;
  SegmentQueue queue_;
  std::vector<std::string> columns_;  // as the user gave them
  std::vector<std::size_t> chosen_;   // indices of columns, sorted
  std::vector<std::string> cells_;    // of the current row, as they are written
  std::string line_end_;
};

}  // namespace

void translate_csv(ByteSource& input, const Write& write, const DocumentOptions& options,
                   const TranslateSegments& translate) {
  TableDocument(input, write, options, translate, true).run();
}

void translate_tsv(ByteSource& input, const Write& write, const DocumentOptions& options,
                   const TranslateSegments& translate) {
  TableDocument(input, write, options, translate, false).run();
}

}  // namespace heed::document
