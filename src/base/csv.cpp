#include "base/csv.h"

#include <array>

#include "base/error.h"
#include "base/files.h"

namespace heed::inline base {

void CsvParser::add(char c, const std::string& name) {
  check<InputError>(++size_ <= LineReader::kMaxLine, "{}:{}: a record of more than {} MiB; is a quote missing?", name,
                    record_line_, LineReader::kMaxLine >> 20);
  cells_.back() += c;
}

bool CsvParser::feed(std::string_view& text, const std::string& name) {
  if (fresh_) begin_record();
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    line_ += c == '\n';
    if (state_ == State::quoted) {
      if (c == '"')
        state_ = State::closed;
      else
        add(c, name);
    } else if (c == '\n') {
      if (state_ != State::closed && cells_.back().ends_with('\r')) cells_.back().pop_back();
      if (is_blank() || names_separator()) {
        begin_record();
        continue;
      }
      fresh_ = true;
      return true;
    } else if (c == separator_) {
      cells_.emplace_back();
      state_ = State::start;
    } else if (c == '"' && state_ == State::start) {
      state_ = State::quoted;
      cell_line_ = line_;
    } else if (c == '"' && state_ == State::closed) {
      add(c, name);
      state_ = State::quoted;
    } else {
      check<InputError>(
          state_ != State::closed || c == '\r',
          "{}:{}: text follows a closing quote; a quote within a quoted cell is written twice{}", name, line_,
          cell_line_ == line_ ? ""
                              : fmt::format(" (the cell began in line {}; is its closing quote missing?)", cell_line_));
      if (state_ == State::closed) continue;  // the end of the line
      add(c, name);
      if (c != '\r') state_ = State::plain;
    }
  }
  return false;
}

bool CsvParser::finish(const std::string& name) {
  check<InputError>(state_ != State::quoted, "{}:{}: the quoted cell that starts in this record has no closing quote",
                    name, record_line_);
  if (fresh_ || is_blank()) return false;
  if (state_ != State::closed && cells_.back().ends_with('\r')) cells_.back().pop_back();
  if (is_blank()) return false;
  return fresh_ = true;
}

char find_csv_separator(std::string_view sample) {
  if (sample.size() > 5 && sample.starts_with("sep=") && (sample[5] == '\r' || sample[5] == '\n')) return sample[4];
  constexpr std::array kSeparators = {',', ';', '\t'};
  constexpr std::size_t kRecords = 20;
  char most_frequent = kSeparators[0];
  std::size_t most = 1;
  for (const char separator : kSeparators) {
    CsvParser parser(separator);
    std::string_view rest = sample;
    std::size_t records = 0, cells = 0;
    bool same = true;
    try {
      while (records < kRecords && (parser.feed(rest, "") || (records == 0 && parser.finish("")))) {
        same = same && (records == 0 || parser.cells().size() == cells);
        if (records++ == 0) cells = parser.cells().size();
      }
    } catch (const InputError&) {
      same = false;
    }
    if (same && cells > 1) return separator;
    if (cells > most) {
      most = cells;
      most_frequent = separator;
    }
  }
  return most_frequent;
}

}  // namespace heed::base
