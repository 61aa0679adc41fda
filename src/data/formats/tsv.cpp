// Tab-separated columns, without quotes or escapes; other columns (such as the attribution in files from
// manythings.org) are ignored. An empty line is a pair of empty sentences, as it is in two plain files.
#include <algorithm>

#include "data/formats/format.h"

namespace heed::data {

namespace {

// The text of a column, counted from 1; false if the row has fewer.
bool take_column(std::string_view row, int column, std::string& text) {
  for (; column > 1; --column) {
    const std::size_t tab = row.find('\t');
    if (tab == std::string_view::npos) {
      text.clear();
      return false;
    }
    row.remove_prefix(tab + 1);
  }
  text = row.substr(0, row.find('\t'));
  return true;
}

class TsvFile : public TableSource {
 public:
  TsvFile(std::unique_ptr<ByteSource> bytes, const FormatOptions& options)
      : TableSource(options), lines_(std::move(bytes)) {
    name_ = lines_.name();
  }

  bool next(SentencePair& pair) override {
    if (!lines_.next(row_)) return check_columns();
    if (lines_.line_number() == 1 && is_header()) return next(pair);
    const bool source = take_column(row_, columns_.source, pair.source);
    const bool target = take_column(row_, columns_.target, pair.target);
    pair.line = lines_.line_number();
    if (!row_.empty() && (!source || !target))
      take_short_row(pair, static_cast<std::size_t>(std::ranges::count(row_, '\t')) + 1, "tabs");
    check_row(pair);
    return true;
  }

  std::string encoding_note() const override { return lines_.note(); }

 private:
  bool is_header() {
    std::vector<std::string> cells(1);
    for (const char c : row_) {
      if (c == '\t')
        cells.emplace_back();
      else
        cells.back() += c;
    }
    return take_header(cells);
  }

  LineReader lines_;
  std::string row_;
};

}  // namespace

std::unique_ptr<PairSource> open_tsv(std::unique_ptr<ByteSource> bytes, const FormatOptions& options) {
  return std::make_unique<TsvFile>(std::move(bytes), options);
}

}  // namespace heed::data
