#include "data/corpus.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "text/unicode.h"

namespace heed::data {

namespace {

constexpr int kMaxColumns = 1000;

bool parse_column(std::string_view text, int& column) {
  return parse_number(text, column) == std::errc() && column >= 1 && column <= kMaxColumns;
}

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

std::uint32_t clamp_length(std::size_t length) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(length, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

TsvColumns parse_columns(std::string_view text, std::string_view flag) {
  TsvColumns columns;
  const std::size_t comma = std::min(text.find(','), text.size());
  const bool good = parse_column(text.substr(0, comma), columns.source) && comma < text.size() &&
                    parse_column(text.substr(comma + 1), columns.target) && columns.source != columns.target;
  check<UsageError>(good, "{}: {} is not a pair of columns; give the source and the target column, such as 1,2", flag,
                    in_quotes(text));
  return columns;
}

PairReader::PairReader(CorpusFiles files) : files_(std::move(files)) {
  const bool two = !files_.source.empty() || !files_.target.empty();
  const auto flag = [&](const char* name) {
    return files_.flag_prefix.empty() ? fmt::format("a {} file", name)
                                      : fmt::format("--{}-{}", files_.flag_prefix, name);
  };
  const std::string source = flag("source"), target = flag("target"), tsv = flag("tsv");
  check<UsageError>(!two || files_.tsv.empty(), "{} cannot be combined with {} or {}; give two files or one", tsv,
                    source, target);
  check<UsageError>(two || !files_.tsv.empty(), "no {} text; give {} and {}, or {}",
                    files_.flag_prefix == "train" ? "training" : "parallel", source, target, tsv);
  check<UsageError>(!two || !files_.source.empty(), "{} needs {}, the other side of '{}'", target, source,
                    files_.target);
  check<UsageError>(!two || !files_.target.empty(), "{} needs {}, the translations of '{}'", source, target,
                    files_.source);
  check<UsageError>(files_.source != "-" || files_.target != "-",
                    "standard input cannot be both source and target; give a file for one of them, or use TSV");
  first_ = std::make_unique<LineReader>(two ? files_.source : files_.tsv);
  if (two) second_ = std::make_unique<LineReader>(files_.target);
}

const std::string& PairReader::name(Side side) const {
  return second_ && side == Side::target ? second_->name() : first_->name();
}

bool PairReader::next(SentencePair& pair) {
  pair.short_row = false;
  pair.weight = files_.weight;
  if (!(second_ ? next_two(pair) : next_row(pair))) {
    check<InputError>(pairs_ > 0, "'{}' is empty; a corpus has one sentence per line", name(Side::source));
    return false;
  }
  pair.line = first_->line_number();
  bytes_ += static_cast<std::int64_t>(pair.source.size() + pair.target.size());
  pair.bad_utf8 = repair_utf8(Side::source, pair.source, pair.line);
  pair.bad_utf8 |= repair_utf8(Side::target, pair.target, pair.line);
  ++pairs_;
  return true;
}

bool PairReader::next_two(SentencePair& pair) {
  const bool source = first_->next(pair.source), target = second_->next(pair.target);
  if (source) source_lengths_.push_back(clamp_length(pair.source.size()));
  if (target) target_lengths_.push_back(clamp_length(pair.target.size()));
  if (source != target) report_slip(source);
  return source;
}

bool PairReader::next_row(SentencePair& pair) {
  if (!first_->next(row_)) return false;
  const bool source = take_column(row_, files_.columns.source, pair.source);
  const bool target = take_column(row_, files_.columns.target, pair.target);
  // An empty line is a pair of empty sentences, as it is in two files.
  pair.short_row = !row_.empty() && (!source || !target);
  if (!pair.short_row || files_.keep_short_rows) return true;
  const auto columns = std::ranges::count(row_, '\t') + 1;
  throw InputError("{}:{}: the line has {} column{}, but column {} is needed; columns are separated by tabs",
                   first_->name(), first_->line_number(), columns, columns == 1 ? "" : "s",
                   std::max(files_.columns.source, files_.columns.target));
}

// Whether there was something to repair.
bool PairReader::repair_utf8(Side side, std::string& text, std::int64_t line) {
  const text::Utf8Report report = text::check_utf8(text);
  if (report.bad_bytes == 0) return false;
  check<InputError>(!files_.strict, "{}:{}: byte {} of the text is not valid UTF-8; convert the file, or omit --strict",
                    name(side), line, report.first_bad_byte + 1);
  BadUtf8& bad = side == Side::source ? bad_source_ : bad_target_;
  if (bad.lines++ == 0) bad.first_line = line;
  bad.bytes += static_cast<std::int64_t>(report.bad_bytes);
  text = replace_bad_utf8(text);
  return true;
}

void PairReader::report_slip(bool source_longer) {
  LineReader& longer = source_longer ? *first_ : *second_;
  auto& lengths = source_longer ? source_lengths_ : target_lengths_;
  for (std::string line; longer.next(line);) lengths.push_back(clamp_length(line.size()));
  const std::size_t sources = source_lengths_.size(), targets = target_lengths_.size();
  const std::string& shorter = name(source_longer ? Side::target : Side::source);
  check<InputError>(pairs_ > 0, "'{}' is empty, but '{}' has {} line{}; a corpus has one sentence per line", shorter,
                    longer.name(), lengths.size(), lengths.size() == 1 ? "" : "s");
  check<InputError>(std::max(sources, targets) <= 2 * std::min(sources, targets),
                    "'{}' has {} line{}, but '{}' has {}; are they the two sides of the same corpus?",
                    name(Side::source), sources, sources == 1 ? "" : "s", name(Side::target), targets);
  const std::int64_t slip = find_slip(source_lengths_, target_lengths_);
  const bool cut = slip > static_cast<std::int64_t>(std::min(sources, targets));
  throw InputError(
      "'{}' has {} line{} and '{}' {}: {}, judging by the lengths of the lines; give two files whose lines match",
      name(Side::source), sources, sources == 1 ? "" : "s", name(Side::target), targets,
      cut ? fmt::format("most likely the end of '{}' is missing", shorter)
          : fmt::format("most likely they went out of step near line {}", slip));
}

std::vector<float> log_lengths(std::span<const std::uint32_t> lengths) {
  constexpr float kSoftener = 5;
  std::vector<float> logs;
  logs.reserve(lengths.size());
  for (const std::uint32_t length : lengths) logs.push_back(std::log(static_cast<float>(length) + kSoftener));
  return logs;
}

std::int64_t find_slip(std::span<const std::uint32_t> source_lengths, std::span<const std::uint32_t> target_lengths) {
  // After d skipped lines of the longer side, its line i + d meets line i of the shorter side. cost[d] is the least
  // cost of that, first[d] the line at which that path left d = 0. If more than a hundred lines are missing, all of
  // them are skipped at once.
  const bool source_longer = source_lengths.size() > target_lengths.size();
  const auto longer = log_lengths(source_longer ? source_lengths : target_lengths);
  const auto shorter = log_lengths(source_longer ? target_lengths : source_lengths);
  const std::size_t difference = longer.size() - shorter.size();
  const std::size_t stride = difference <= 100 ? 1 : difference, states = difference / stride + 1;

  constexpr float kMismatch = 2, kSkip = 1;  // in units of the logarithm of a length ratio
  const auto mean = [](const std::vector<float>& logs) {
    return std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(std::max<std::size_t>(logs.size(), 1));
  };
  const auto usual = static_cast<float>(mean(longer) - mean(shorter));

  std::vector<double> cost(states, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> first(states, shorter.size());
  cost[0] = 0;
  const auto skip = [&](std::size_t line) {
    for (std::size_t d = 1; d < states; ++d) {
      if (cost[d - 1] + kSkip >= cost[d]) continue;
      cost[d] = cost[d - 1] + kSkip;
      first[d] = d == 1 ? line : first[d - 1];
    }
  };
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    skip(i);
    for (std::size_t d = 0; d < states; ++d)
      cost[d] += std::min(std::abs(longer[i + d * stride] - shorter[i] - usual), kMismatch);
  }
  skip(shorter.size());
  return static_cast<std::int64_t>(first.back()) + 1;
}

void SelectionTally::add(Verdict verdict) {
  ++read;
  kept += verdict == Verdict::kept;
  empty += verdict == Verdict::empty;
  too_long += verdict == Verdict::too_long;
  other_prefix += verdict == Verdict::other_prefix;
}

Verdict judge_words(const PairSelection& selection, std::size_t source_words, std::size_t target_words) {
  if (!selection.keep_empty && (source_words == 0 || target_words == 0)) return Verdict::empty;
  const auto longest = static_cast<std::int64_t>(std::max(source_words, target_words));
  return selection.max_words > 0 && longest > selection.max_words ? Verdict::too_long : Verdict::kept;
}

Verdict judge_prefixes(const PairSelection& selection, std::string_view source, std::string_view target) {
  const auto fits = [](const std::vector<std::string>& prefixes, std::string_view text) {
    return prefixes.empty() ||
           std::ranges::any_of(prefixes, [&](const auto& prefix) { return text.starts_with(prefix); });
  };
  const bool kept = fits(selection.source_prefixes, source) && fits(selection.target_prefixes, target);
  return kept ? Verdict::kept : Verdict::other_prefix;
}

}  // namespace heed::data
