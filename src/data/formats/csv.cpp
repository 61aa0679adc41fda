// Comma- or semicolon-separated values (RFC 4180): a cell in double quotes may hold separators, line ends and doubled
// quotes. Blank lines are skipped.
#include <algorithm>
#include <array>

#include "base/error.h"
#include "data/formats/format.h"

namespace heed::data {

namespace {

// Splits text that arrives in parts into records.
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
  bool is_blank() const { return cells_.size() == 1 && cells_[0].empty() && state_ == State::start; }
  void add(char c, const std::string& name) {
    check<InputError>(++size_ <= LineReader::kMaxLine, "{}:{}: a record of more than {} MiB; is a quote missing?", name,
                      record_line_, LineReader::kMaxLine >> 20);
    cells_.back() += c;
  }

  char separator_;
  State state_ = State::start;
  bool fresh_ = true;  // the last record is complete
  std::vector<std::string> cells_ = std::vector<std::string>(1);
  std::size_t size_ = 0;
  std::int64_t line_ = 1, record_line_ = 1;
};

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
      if (is_blank()) {
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
    } else if (c == '"' && state_ == State::closed) {
      add(c, name);
      state_ = State::quoted;
    } else {
      check<InputError>(state_ != State::closed || c == '\r',
                        "{}:{}: text follows a closing quote; a quote within a quoted cell is written twice", name,
                        line_);
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

// The separator that gives the first records the same number of cells, or else the one that the first record has most.
char find_separator(std::string_view sample) {
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

class CsvFile : public TableSource {
 public:
  CsvFile(std::unique_ptr<ByteSource> bytes, const FormatOptions& options)
      : TableSource(options),
        bytes_(std::move(bytes)),
        separator_(find_separator(bytes_->sample())),
        parser_(separator_) {
    name_ = bytes_->name();
  }

  bool next(SentencePair& pair) override {
    if (!next_record()) return check_columns();
    if (!std::exchange(started_, true) && take_header(parser_.cells())) return next(pair);
    const std::vector<std::string>& cells = parser_.cells();
    const auto take = [&](int column, std::string& text) {
      const bool has = static_cast<std::size_t>(column) <= cells.size();
      text = has ? cells[static_cast<std::size_t>(column) - 1] : "";
      join_lines(text);
      return has;
    };
    const bool source = take(columns_.source, pair.source), target = take(columns_.target, pair.target);
    pair.line = parser_.line();
    if (!source || !target)
      take_short_row(pair, cells.size(), separator_ == ',' ? "commas" : separator_ == ';' ? "semicolons" : "tabs");
    check_row(pair);
    return true;
  }

  std::string encoding_note() const override { return bytes_->note(); }

 private:
  bool next_record() {
    for (std::string_view chunk; !(chunk = bytes_->peek()).empty();) {
      const std::size_t size = chunk.size();
      const bool complete = parser_.feed(chunk, name_);
      bytes_->skip(size - chunk.size());
      if (complete) return true;
    }
    return parser_.finish(name_);
  }

  std::unique_ptr<ByteSource> bytes_;
  char separator_;
  CsvParser parser_;
  bool started_ = false;
};

}  // namespace

std::unique_ptr<PairSource> open_csv(std::unique_ptr<ByteSource> bytes, const FormatOptions& options) {
  return std::make_unique<CsvFile>(std::move(bytes), options);
}

}  // namespace heed::data
