// The files of a corpus, as a command line names them.
#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system.h"
#include "data/formats/format.h"
#include "text/languages.h"

namespace heed::data {

namespace {

constexpr int kMaxColumns = 1000;

bool parse_column(std::string_view text, Column& column) {
  const bool is_numeric = !text.empty() && text.find_first_not_of("+-0123456789") == text.npos;
  if (!is_numeric) {
    column.name = text;
    return !text.empty();
  }
  return parse_number(text, column.number) == std::errc() && column.number >= 1 && column.number <= kMaxColumns;
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return path == "-" || std::filesystem::exists(path, ignored);
}

struct WeightedFile {
  std::string path;
  double weight = 1;
  bool weighted = false;
};

WeightedFile split_weight(const std::string& file, const std::string& flag) {
  const std::size_t colon = file.rfind(':');
  if (colon == file.npos || colon == 0 || exists(file)) return {.path = file};
  const std::string_view number = std::string_view(file).substr(colon + 1);
  WeightedFile result{.path = file.substr(0, colon), .weighted = true};
  if (number.find_first_not_of("+-.0123456789eE") != number.npos && !exists(result.path)) return {.path = file};
  check<UsageError>(
      parse_number(number, result.weight) == std::errc() && result.weight > 0 && result.weight <= kMaxWeight,
      "{}the weight {} of '{}' is not a number above 0 and at most {}; write FILE:WEIGHT, such as {}:3",
      flag.empty() ? "" : flag + ": ", in_quotes(number), result.path, kMaxWeight, result.path);
  return result;
}

// "de" for train.de and train.de.gz; empty if the ending is not a language.
std::string language_ending(const std::string& path) {
  const std::string ending = std::filesystem::path(without_compression_suffix(path)).extension().string();
  return ending.size() > 1 ? text::find_language(ending.substr(1)) : "";
}

class Lister {
 public:
  explicit Lister(const CorpusFlags& flags) : flags_(flags), flag_(flags.flag.empty() ? "" : "--" + flags.flag) {}

  CorpusFiles run() {
    list_.languages = flags_.languages;
    // These flags say which side is the source more reliably than the order of names or columns.
    if (!flags_.sources.empty() && !flags_.targets.empty() && list_.languages.source.empty() &&
        list_.languages.target.empty())
      list_.languages = ending_languages({.source = flags_.sources[0], .target = flags_.targets[0]});
    for (const std::string& file : flags_.files)
      if (!file.empty()) add_file(split_weight(file, flag_));
    check<InputError>(plain_.path.empty() || exists(plain_.path), "cannot read {}: {}", in_quotes(plain_.path),
                      system_message(ENOENT));
    check<UsageError>(plain_.path.empty(),
                      "{}'{}' is plain text and has no other side; give plain files in pairs, the source first, or one "
                      "file with both sides (TSV, CSV, TMX, XLIFF, PO, JSON Lines)",
                      flag_.empty() ? "" : flag_ + ": ", plain_.path);
    add_pairs();
    for (const std::string& table : flags_.tables)
      if (!table.empty()) list_.parts.push_back({.file = table, .format = "tsv"});
    check<UsageError>(!list_.parts.empty(), "no {} text; give {}", flags_.flag == "train" ? "training" : "parallel",
                      flag_.empty() ? "two plain files, source and target, or one file with both sides"
                                    : fmt::format("{} FILE…, or {}-source and {}-target", flag_, flag_, flag_));
    return std::move(list_);
  }

 private:
  void add_file(WeightedFile file) {
    check<UsageError>(!file.path.ends_with(".toml"), "'{}' is a configuration, not text; put it before {}", file.path,
                      flag_.empty() ? "the files" : flag_);
    const bool is_table = flags_.files.size() == 1 && flags_.lone_file_is_table;
    const bool both_sides = is_table || (file.path == "-" ? !is_side_of_two() : detect_format(file.path) != nullptr);
    if (both_sides) {
      list_.parts.push_back({.file = file.path, .weight = file.weight});
    } else if (plain_.path.empty()) {
      plain_ = std::move(file);
    } else {
      add_two(plain_, file);
      plain_ = {};
    }
  }

  // Whether standard input is one of exactly two files, and the other one is plain.
  bool is_side_of_two() const {
    if (flags_.files.size() != 2) return false;
    const std::string& other = flags_.files[flags_.files[0] == "-" ? 1 : 0];
    return other != "-" && detect_format(other) == nullptr;
  }

  void add_two(const WeightedFile& source, const WeightedFile& target) {
    check<UsageError>(!source.weighted || !target.weighted || source.weight == target.weight,
                      "'{}' and '{}' are the two sides of a corpus, but have different weights; give only one weight",
                      source.path, target.path);
    CorpusPart part{
        .source = source.path, .target = target.path, .weight = source.weighted ? source.weight : target.weight};
    const Languages& wanted = list_.languages;
    part.any_order = true;
    if (!wanted.source.empty() && !wanted.target.empty() && are_reversed(ending_languages(part), wanted))
      list_.notes.push_back(swap_sides(part, wanted));
    list_.parts.push_back(std::move(part));
  }

  void add_pairs() {
    const auto given = [](const std::vector<std::string>& names) {
      std::vector<std::string> kept;
      std::ranges::copy_if(names, std::back_inserter(kept), [](const std::string& name) { return !name.empty(); });
      return kept;
    };
    const std::vector<std::string> sources = given(flags_.sources), targets = given(flags_.targets);
    const std::size_t pairs = std::min(sources.size(), targets.size());
    check<UsageError>(sources.size() == pairs, "{}-source needs {}-target, the translations of '{}'", flag_, flag_,
                      sources.size() > pairs ? sources[pairs] : "");
    check<UsageError>(targets.size() == pairs, "{}-target needs {}-source, the other side of '{}'", flag_, flag_,
                      targets.size() > pairs ? targets[pairs] : "");
    for (std::size_t i = 0; i < pairs; ++i) list_.parts.push_back({.source = sources[i], .target = targets[i]});
  }

  const CorpusFlags& flags_;
  std::string flag_;
  WeightedFile plain_;  // waits for its other side
  CorpusFiles list_;
};

}  // namespace

Languages ending_languages(const CorpusPart& part) {
  Languages found{language_ending(part.source), language_ending(part.target), true};
  return found.source.empty() || found.target.empty() || found.source == found.target ? Languages{} : found;
}

bool are_reversed(const Languages& named, const Languages& known) {
  const auto agree = [](const std::string& one, const std::string& other) {
    return one.empty() || other.empty() || text::language_key(one) == text::language_key(other);
  };
  const auto contradict = [&](const std::string& one, const std::string& other) { return !agree(one, other); };
  return agree(named.source, known.target) && agree(named.target, known.source) &&
         (contradict(named.source, known.source) || contradict(named.target, known.target));
}

std::string swap_sides(CorpusPart& part, const Languages& known) {
  std::swap(part.source, part.target);
  return fmt::format("'{}' is the source and '{}' the target, because the pairs should go {}", printable(part.source),
                     printable(part.target), printable(describe(known)));
}

Columns parse_columns(std::string_view text, std::string_view flag) {
  Columns columns;
  if (text.empty()) return columns;
  const std::size_t comma = std::min(text.find(','), text.size());
  const bool good = parse_column(text.substr(0, comma), columns.source) && comma < text.size() &&
                    parse_column(text.substr(comma + 1), columns.target) && text.find(',', comma + 1) == text.npos &&
                    (columns.source.number != columns.target.number || columns.source.name != columns.target.name);
  check<UsageError>(good,
                    "{}: {} is not a pair of columns; give the source and the target column, such as 1,2 or de,en",
                    flag, in_quotes(text));
  return columns;
}

void refuse_columns_without_table(std::string_view columns, std::span<const std::string> files) {
  const auto is_plain = [](const std::string& file) { return file != "-" && !looks_like_corpus(without_weight(file)); };
  check<UsageError>(columns.empty() || files.empty() || !std::ranges::all_of(files, is_plain),
                    "--columns {} chooses columns of tables, but no file is one; leave it out", columns);
}

bool CorpusFlags::empty() const {
  return std::ranges::all_of(std::array{&files, &sources, &targets, &tables},
                             [](const std::vector<std::string>* names) {
                               return std::ranges::all_of(*names, [](const std::string& name) { return name.empty(); });
                             });
}

CorpusFiles list_corpus(const CorpusFlags& flags) {
  CorpusFiles corpus = Lister(flags).run();
  corpus.columns = parse_columns(flags.columns);
  corpus.encoding = flags.encoding;
  return corpus;
}

std::string without_weight(const std::string& file) {
  const std::size_t colon = file.rfind(':');
  return colon == file.npos || colon == 0 || exists(file) || !exists(file.substr(0, colon)) ? file
                                                                                            : file.substr(0, colon);
}

}  // namespace heed::data
