#include "survey/survey.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/enum_names.h"
#include "base/error.h"
#include "survey/counters.h"

namespace heed::survey {

namespace {

constexpr ProblemKind kKinds[kProblems] = {
    {"short_row", "line with too few columns", "lines with too few columns", "no missing columns", true},
    {"empty", "pair with an empty side", "pairs with an empty side", "no empty sides", true},
    {"bad_utf8", "pair with invalid UTF-8", "pairs with invalid UTF-8", "valid UTF-8", true},
    {"wrong_encoding", "pair garbled by a wrong encoding", "pairs garbled by a wrong encoding",
     "no sign of a wrong encoding", true},
    {"shifted", "misaligned pair", "misaligned pairs", "sides aligned", true},
    {"length_ratio", "pair with an unusual length ratio", "pairs with an unusual length ratio",
     "no unusual length ratios", true},
    {"too_long", "very long pair", "very long pairs", "no very long pairs", true},
    {"identical", "untranslated pair", "untranslated pairs", "no untranslated pairs", true},
    {"other_script", "pair in another script", "pairs in another script", "one script per side", true},
    {"leaked", "pair that is in held-out text", "pairs that are in held-out text", "no held-out text in training",
     true},
    {"duplicate", "duplicate pair", "duplicate pairs", "no duplicate pairs", true},
    {"mixed_word", "pair with a word in two scripts", "pairs with a word in two scripts", "no words in two scripts",
     false},
    {"control", "pair with control characters", "pairs with control characters", "no control characters", false},
    {"numbers", "pair with different numbers", "pairs with different numbers", "no conflicting numbers", false},
    {"near_duplicate", "near-duplicate pair", "near-duplicate pairs", "no near-duplicate pairs", false},
};

// In the order of Filter.
struct FilterRow {
  const char* name;
  ProblemSet problems;
};
constexpr FilterRow kFilters[] = {
    {"length-ratio", bit(Problem::length_ratio)},
    {"identical", bit(Problem::identical)},
    {"script", bit(Problem::other_script)},
    {"numbers", bit(Problem::numbers)},
    {"duplicates", bit(Problem::duplicate)},
    {"near-duplicates", bit(Problem::duplicate) | bit(Problem::near_duplicate)},
};

class Surveyor {
 public:
  Surveyor(const data::CorpusFiles& files, const SurveyOptions& options)
      : files_(files), options_(options), source_(*options.source_tokenizer), target_(*options.target_tokenizer) {
    check<UsageError>(!files.reads_standard_input(), "standard input cannot be read twice; give files");
    files_.keep_short_rows = true;
    survey_.dropped = options.dropped;
    for (const HeldOutFiles& held_out : options.held_out) held_out_.emplace_back(held_out, options);
  }

  Survey run() {
    read();
    find_duplicates();
    find_near_duplicates();
    find_length_problems();
    find_other_scripts();
    for (HeldOutIndex& index : held_out_) {
      HeldOutSurvey& set = survey_.held_out.emplace_back(index.finish(source_, target_, options_.cases));
      for (SurveyCase& found : set.cases) locate_other(found);
      std::ranges::copy(set.notes, std::back_inserter(survey_.notes));
    }
    choose_cases();
    read_again();
    return std::move(survey_);
  }

 private:
  // What is kept of every pair, for comparisons between pairs.
  struct Row {
    std::uint64_t source_hash, target_hash, shape;  // shape: of both sides; 0 if one has no letters or numbers
    std::uint32_t source_characters, target_characters;
    text::Script source_script, target_script;
    LinePosition position;
  };

  using RowPair = std::pair<std::uint32_t, std::uint32_t>;  // a row and its original

  void read() {
    data::PairReader reader(files_);
    for (data::SentencePair pair; reader.next(pair);) {
      examine(pair);
      if (options_.on_progress && pair.number % 1024 == 0) options_.on_progress(reader.pairs(), reader.bytes());
    }
    if (good_rows_ == 0 && files_.columns.given())
      fail_without_columns(files_.columns, reader.name(data::Side::source), most_columns_);
    check<InputError>(good_rows_ > 0,
                      "no line of '{}' has both a source and a target column; separate columns by tabs, or give two "
                      "files, source and target",
                      reader.name(data::Side::source));
    for (std::size_t part = 0; part < files_.parts.size(); ++part) {
      source_names_.push_back(reader.name(data::Side::source, part));
      target_names_.push_back(reader.name(data::Side::target, part));
    }
    survey_.notes = reader.notes();
    survey_.pairs = reader.pairs();
    survey_.bytes = reader.bytes();
    survey_.source = source_.finish();
    survey_.target = target_.finish();
    survey_.source.name = reader.name(data::Side::source);
    survey_.target.name = reader.name(data::Side::target);
    survey_.source.bad_utf8 = reader.bad_utf8(data::Side::source);
    survey_.target.bad_utf8 = reader.bad_utf8(data::Side::target);
  }

  void examine(const data::SentencePair& pair) {
    const data::LineTraits s = source_.scan(pair.source), t = target_.scan(pair.target);
    const std::size_t source_words = source_.add(pair.source, s), target_words = target_.add(pair.target, t);
    ProblemSet flags = 0;
    const auto flag = [&](bool holds, Problem problem) { flags |= holds ? bit(problem) : ProblemSet{0}; };
    const bool empty = source_words == 0 || target_words == 0;
    const auto longest = static_cast<std::int64_t>(std::max(source_words, target_words));
    const bool short_row = pair.short_row > 0;
    good_rows_ += !short_row;
    most_columns_ = std::max(most_columns_, pair.short_row);
    flag(short_row, Problem::short_row);
    flag(empty && !short_row, Problem::empty);
    flag(pair.bad_utf8, Problem::bad_utf8);
    flag(!pair.bad_utf8 && (s.wrong_encoding || t.wrong_encoding), Problem::wrong_encoding);
    flag(!empty && pair.source == pair.target, Problem::identical);
    flag(options_.max_words > 0 && longest > options_.max_words, Problem::too_long);
    flag(s.mixed_word || t.mixed_word, Problem::mixed_word);
    flag(s.control || t.control, Problem::control);
    flag(!empty && numbers_differ(s, t), Problem::numbers);
    for (HeldOutIndex& index : held_out_) {
      const LinePosition* match = index.match(s, t, pair.number);
      if (match == nullptr) continue;
      flag(true, Problem::leaked);
      if (leaks_.size() < options_.cases && (leaks_.empty() || leaks_.back().number != pair.number))
        leaks_.push_back(
            {.number = pair.number, .other_line = match->line, .other_file = index.source_name(match->part)});
    }
    survey_.flags.push_back(flags);
    const std::uint64_t shape = combine(s.shape_hash, t.shape_hash);
    rows_.push_back({s.hash, t.hash, shape, s.characters, t.characters, s.script, t.script, {pair.line, pair.part}});
  }

  void flag_row(std::size_t row, Problem problem) { survey_.flags[row] |= bit(problem); }
  bool is_flagged(std::size_t row, ProblemSet flags) const { return (survey_.flags[row] & flags) != 0; }
  static constexpr ProblemSet kUnusable = bit(Problem::short_row) | bit(Problem::empty);

  void find_duplicates() {
    std::vector<std::uint32_t> order(rows_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {},
                      [&](std::uint32_t i) { return std::tuple(rows_[i].source_hash, rows_[i].target_hash, i); });
    std::size_t first = 0;  // of a run of equal pairs
    bool several = false;   // the current source has several targets
    for (std::size_t i = 1; i < order.size(); ++i) {
      const Row &row = rows_[order[i]], &previous = rows_[order[i - 1]];
      const bool same_source = row.source_hash == previous.source_hash;
      if (!same_source) several = false;
      if (!same_source || row.target_hash != previous.target_hash) {
        if (same_source && !is_flagged(order[i], kUnusable)) {
          survey_.sources_with_several_targets += !several;
          several = true;
        }
        first = i;
      } else if (!is_flagged(order[i], kUnusable)) {
        flag_row(order[i], Problem::duplicate);
        duplicates_.push_back({order[i], order[first]});
      }
    }
    keep_first(duplicates_);
  }

  // Pairs that equal an earlier one except for case, punctuation and the values of numbers. Exact duplicates do not
  // count again.
  void find_near_duplicates() {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].shape != 0 && !is_flagged(i, kUnusable | bit(Problem::duplicate))) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::tuple(rows_[i].shape, i); });
    std::uint32_t first = 0;  // the original of the current row
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i == 0 || rows_[order[i]].shape != rows_[order[i - 1]].shape) {
        first = order[i];
        continue;
      }
      flag_row(order[i], Problem::near_duplicate);
      near_duplicates_.push_back({order[i], first});
    }
    keep_first(near_duplicates_);
  }

  void keep_first(std::vector<RowPair>& duplicates) const {
    std::ranges::sort(duplicates);
    duplicates.resize(std::min(duplicates.size(), options_.cases));
  }

  void find_length_problems() {
    std::vector<std::uint32_t> source, target;
    std::vector<double> ratios;
    const auto ratio = [](const Row& row) {
      constexpr double kSmoothing = 10;  // a few characters do not matter in short lines
      return std::log((row.target_characters + kSmoothing) / (row.source_characters + kSmoothing));
    };
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      source.push_back(rows_[i].source_characters);
      target.push_back(rows_[i].target_characters);
      if (!is_flagged(i, kUnusable)) ratios.push_back(ratio(rows_[i]));
    }
    if (ratios.empty()) return;
    const double usual = median(ratios);
    for (double& value : ratios) value = std::abs(value - usual);
    // The median deviation times 1.4826 estimates the standard deviation of a normal distribution despite outliers.
    const double limit = std::max(std::log(2.5), 5 * 1.4826 * median(ratios));
    survey_.usual_ratio = std::exp(usual);
    survey_.ratio_limit = std::exp(limit);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (!is_flagged(i, kUnusable) && std::abs(ratio(rows_[i]) - usual) > limit) flag_row(i, Problem::length_ratio);
    survey_.shifts = find_shifts(source, target);
    for (const Shift& shift : survey_.shifts)
      for (std::int64_t line = shift.from; line <= shift.to; ++line)
        flag_row(static_cast<std::size_t>(line - 1), Problem::shifted);
  }

  // Another script is a problem only if the side has a main script or its language is known.
  void find_other_scripts() {
    constexpr double kMainFraction = 0.9;
    const auto usual = [](const SideSurvey& side, const std::string& language) {
      std::vector<text::Script> scripts = text::scripts_of_language(language);
      if (side.script_fraction >= kMainFraction) scripts.push_back(side.script);
      if (!scripts.empty()) scripts.push_back(text::kNoScript);
      return scripts;
    };
    const std::vector<text::Script> source = usual(survey_.source, options_.source_language),
                                    target = usual(survey_.target, options_.target_language);
    const auto strays = [](const std::vector<text::Script>& scripts, text::Script script) {
      return !scripts.empty() && std::ranges::find(scripts, script) == scripts.end();
    };
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (strays(source, rows_[i].source_script) || strays(target, rows_[i].target_script))
        flag_row(i, Problem::other_script);
  }

  void choose_cases() {
    for (std::size_t i = 0; i < survey_.flags.size(); ++i) {
      for (std::size_t p = 0; p < kProblems; ++p) {
        if ((survey_.flags[i] >> p & 1U) == 0) continue;
        Finding& finding = survey_.findings[p];
        if (finding.count++ < static_cast<std::int64_t>(options_.cases))
          finding.cases.push_back({.number = static_cast<std::int64_t>(i) + 1});
      }
    }
    Finding& leaked = survey_.finding(Problem::leaked);
    for (std::size_t k = 0; k < leaked.cases.size() && k < leaks_.size(); ++k) leaked.cases[k] = leaks_[k];
    for (const auto& [problem, duplicates] :
         {std::pair{Problem::duplicate, &duplicates_}, std::pair{Problem::near_duplicate, &near_duplicates_}}) {
      Finding& repeated = survey_.finding(problem);
      for (std::size_t k = 0; k < repeated.cases.size(); ++k) {
        repeated.cases[k].other_number = static_cast<std::int64_t>((*duplicates)[k].second) + 1;
        locate_other(repeated.cases[k]);
      }
    }
    for (Finding& finding : survey_.findings) {
      for (SurveyCase& found : finding.cases) {
        const LinePosition& position = rows_[static_cast<std::size_t>(found.number - 1)].position;
        found.line = position.line;
        found.source_file = source_names_[position.part];
        found.target_file = target_names_[position.part];
      }
    }
  }

  // The file and line of a pair of the training text.
  void locate_other(SurveyCase& found) const {
    const LinePosition& position = rows_[static_cast<std::size_t>(found.other_number - 1)].position;
    found.other_line = position.line;
    found.other_file = source_names_[position.part];
  }

  // The second pass, for the text of the cases and the cleaned copy.
  void read_again() {
    std::vector<SurveyCase*> wanted;
    if (options_.case_texts)
      for (Finding& finding : survey_.findings)
        for (SurveyCase& found : finding.cases) wanted.push_back(&found);
    std::ranges::sort(wanted, [](const auto* a, const auto* b) { return a->number < b->number; });
    const bool clean = !options_.clean.empty();
    if (wanted.empty() && !clean) return;
    std::optional<data::PairWriter> copy;
    if (clean) copy.emplace(options_.clean);
    data::PairReader reader(files_);
    data::LineScanner scanner;
    std::size_t next = 0;
    for (data::SentencePair pair; (clean || next < wanted.size()) && reader.next(pair);) {
      check<InputError>(pair.number <= survey_.pairs, "'{}' grew while it was being read", survey_.source.name);
      for (; next < wanted.size() && wanted[next]->number == pair.number; ++next) {
        wanted[next]->source = pair.source;
        wanted[next]->target = pair.target;
        wanted[next]->source_odd_at = scanner.scan(pair.source).odd_at.value_or(0);
        wanted[next]->target_odd_at = scanner.scan(pair.target).odd_at.value_or(0);
      }
      if (copy && survey_.is_clean(static_cast<std::size_t>(pair.number - 1))) copy->write(pair, reader.languages());
    }
    if (copy) copy->commit();
  }

  data::CorpusFiles files_;
  const SurveyOptions& options_;
  SideCounter source_, target_;
  std::vector<HeldOutIndex> held_out_;
  std::int64_t good_rows_ = 0;
  std::size_t most_columns_ = 0;                          // among the rows with too few
  std::vector<std::string> source_names_, target_names_;  // of the parts
  std::vector<Row> rows_;
  std::vector<SurveyCase> leaks_;                      // the first ones
  std::vector<RowPair> duplicates_, near_duplicates_;  // the first ones
  Survey survey_;
};

}  // namespace

const std::span<const ProblemKind> kProblemKinds = kKinds;

std::int64_t SideSurvey::length_quantile(double fraction) const {
  std::int64_t passed = 0;
  for (std::size_t length = 0; length < lengths.size(); ++length) {
    passed += lengths[length];
    if (static_cast<double>(passed) >= fraction * static_cast<double>(sentences))
      return static_cast<std::int64_t>(length);
  }
  return 0;
}

ProblemSet usually_dropped() {
  ProblemSet problems = 0;
  for (std::size_t p = 0; p < kProblems; ++p)
    if (kKinds[p].dropped) problems |= bit(static_cast<Problem>(p));
  return problems;
}

std::vector<std::string> enum_names(Filter) {
  return row_names(kFilters);
}

ProblemSet problems_of(std::span<const Filter> filters) {
  ProblemSet problems = 0;
  for (const Filter filter : filters) problems |= kFilters[static_cast<std::size_t>(filter)].problems;
  return problems;
}

std::int64_t Survey::clean_pairs() const {
  return std::ranges::count_if(flags, [&](ProblemSet f) { return (f & dropped) == 0; });
}

std::array<std::int64_t, kProblems> drop_tally(const Survey& survey) {
  std::array<std::int64_t, kProblems> tally{};
  for (const ProblemSet flags : survey.flags)
    if (const ProblemSet reasons = flags & survey.dropped; reasons != 0)
      ++tally[static_cast<std::size_t>(std::countr_zero(reasons))];
  return tally;
}

Survey survey_corpus(const data::CorpusFiles& files, const SurveyOptions& options) {
  return Surveyor(files, options).run();
}

}  // namespace heed::survey
