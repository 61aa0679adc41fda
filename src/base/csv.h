// Comma-separated values, for spreadsheets: writing and reading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::inline base {

// A field of RFC 4180: in quotes if it contains a quote, a comma or a line end.
inline std::string csv_field(std::string_view text) {
  if (text.find_first_of("\",\r\n") == text.npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

// Without a line end.
inline std::string csv_row(const std::vector<std::string>& fields) {
  std::string row;
  for (std::size_t i = 0; i < fields.size(); ++i) row += (i == 0 ? "" : ",") + csv_field(fields[i]);
  return row;
}

// Splits comma- or semicolon-separated values (RFC 4180) that arrive in parts into records: a cell in double quotes may
// hold separators, line ends and doubled quotes. Blank lines are skipped, and so is a first line "sep=;". InputError
// with file and line for other quotes.
class CsvParser {
 public:
  explicit CsvParser(char separator) : separator_(separator) {}

  // Consumes text up to the end of a record; true if there was one. `name` is for messages.
  bool feed(std::string_view& text, const std::string& name);
  // At the end of the text: whether there is a last record without a line end.
  bool finish(const std::string& name);
  // Of the record that feed() or finish() completed; valid until the next call.
  const std::vector<std::string>& cells() const { return cells_; }
  std::int64_t line() const { return record_line_; }  // where the record starts

 private:
  enum class State { start, plain, quoted, closed };

  void begin_record() {
    cells_.assign(1, {});
    record_line_ = line_;
    size_ = 0;
    state_ = State::start;
    fresh_ = false;
  }
  // The line "sep=;" at the start, which Excel reads and writes.
  bool names_separator() const {
    return record_line_ == 1 && cells_.size() == 2 && cells_[0] == "sep=" && cells_[1].empty();
  }
  bool is_blank() const { return cells_.size() == 1 && cells_[0].empty() && state_ == State::start; }
  void add(char c, const std::string& name);

  char separator_;
  State state_ = State::start;
  bool fresh_ = true;  // the last record is complete
  std::vector<std::string> cells_ = std::vector<std::string>(1);
  std::size_t size_ = 0;
  std::int64_t line_ = 1, record_line_ = 1, cell_line_ = 1;  // cell_line_: where the last quoted cell starts
};

// The separator that a first line "sep=;" names, or else the one that gives the first records the same number of cells,
// or else the one that the first record has most.
char find_csv_separator(std::string_view sample);

}  // namespace heed::inline base
