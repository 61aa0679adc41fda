// Comma- or semicolon-separated values (RFC 4180): a cell in double quotes may hold separators, line ends and doubled
// quotes. Blank lines are skipped.
#include "base/csv.h"
#include "data/formats/format.h"

namespace heed::data {

namespace {

class CsvFile : public TableSource {
 public:
  CsvFile(std::unique_ptr<ByteSource> bytes, const FormatOptions& options)
      : TableSource(options),
        bytes_(std::move(bytes)),
        separator_(find_csv_separator(bytes_->sample())),
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
