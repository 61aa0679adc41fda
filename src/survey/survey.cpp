#include "survey/survey.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/error.h"
#include "survey/parts.h"

namespace heed::survey {

namespace {

constexpr ProblemKind kKinds[kProblems] = {
    {"short_row", "line with too few columns", "lines with too few columns", "every line has its columns", true},
    {"empty", "pair with an empty side", "pairs with an empty side", "no empty side", true},
    {"bad_utf8", "pair with bad UTF-8", "pairs with bad UTF-8", "all valid UTF-8", true},
    {"wrong_encoding", "pair garbled by a wrong encoding", "pairs garbled by a wrong encoding",
     "no trace of a wrong encoding", true},
    {"shifted", "misaligned pair", "misaligned pairs", "sides aligned", true},
    {"length_ratio", "pair with an unusual length ratio", "pairs with an unusual length ratio",
     "no unusual length ratio", true},
    {"too_long", "very long pair", "very long pairs", "no very long side", true},
    {"identical", "pair of equal sides", "pairs of equal sides", "no side left untranslated", true},
    {"other_script", "pair in another script", "pairs in another script", "one script per side", true},
    {"leaked", "pair known from held-out text", "pairs known from held-out text", "held-out text stays held out", true},
    {"duplicate", "repeated pair", "repeated pairs", "no pair comes twice", true},
    {"mixed_word", "pair with a word in two scripts", "pairs with a word in two scripts", "no word mixes scripts",
     false},
    {"control", "pair with control characters", "pairs with control characters", "no control characters", false},
};

constexpr std::uint16_t bit(Problem problem) {
  return static_cast<std::uint16_t>(1U << static_cast<unsigned>(problem));
}

// The first reason to leave a pair out; nothing where there is none.
std::optional<Problem> reason_to_drop(std::uint16_t flags) {
  for (std::size_t p = 0; p < kProblems; ++p)
    if (kKinds[p].dropped && (flags >> p & 1U) != 0) return static_cast<Problem>(p);
  return std::nullopt;
}

// Standard input can be read once: what comes is kept for the second reading.
class Spool {
 public:
  Spool() {
    std::string name = (std::filesystem::temp_directory_path() / "heed-data-XXXXXX").string();
    check<InputError>(::mkdtemp(name.data()) != nullptr, "cannot make a temporary directory like '{}'", name);
    directory_ = name;
    source_ = std::make_unique<AtomicFile>(name + "/source");
    target_ = std::make_unique<AtomicFile>(name + "/target");
  }
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  ~Spool() {
    source_.reset();
    target_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  void add(const data::SentencePair& pair) {
    source_->write(pair.source + "\n");
    target_->write(pair.target + "\n");
  }
  data::CorpusFiles finish() {
    source_->commit();
    target_->commit();
    return {.source = directory_ + "/source", .target = directory_ + "/target"};
  }

 private:
  std::string directory_;
  std::unique_ptr<AtomicFile> source_, target_;
};

class Surveyor {
 public:
  Surveyor(const data::CorpusFiles& files, const SurveyOptions& options)
      : files_(files), options_(options), source_(*options.source_tokenizer), target_(*options.target_tokenizer) {
    files_.keep_short_rows = true;
    if (files.reads_standard_input()) spool_ = std::make_unique<Spool>();
    for (const HeldOutFiles& held_out : options.held_out) held_out_.emplace_back(held_out, options);
  }

  Survey run() {
    read();
    find_repetitions();
    find_length_problems();
    find_other_scripts();
    for (HeldOutIndex& index : held_out_) survey_.held_out.push_back(index.finish(source_, target_, options_.cases));
    choose_cases();
    read_again();
    return std::move(survey_);
  }

 private:
  // What must be known of every pair at once.
  struct Row {
    std::uint64_t source_hash, target_hash;
    std::uint32_t source_characters, target_characters;
    text::Script source_script, target_script;
  };

  void read() {
    data::PairReader reader(files_);
    for (data::SentencePair pair; reader.next(pair);) {
      examine(pair);
      if (spool_) spool_->add(pair);
      if (options_.on_progress && pair.line % 1024 == 0) options_.on_progress(reader.pairs(), reader.bytes());
    }
    check<InputError>(good_rows_ > 0,
                      "no line of '{}' has columns {} and {}; columns stand between tabs, or give two files, the "
                      "source and the target",
                      reader.name(data::Side::source), files_.columns.source, files_.columns.target);
    survey_.pairs = reader.pairs();
    survey_.bytes = reader.bytes();
    survey_.source = source_.finish();
    survey_.target = target_.finish();
    survey_.source.name = reader.name(data::Side::source);
    survey_.target.name = reader.name(data::Side::target);
    survey_.source.bad_utf8 = reader.bad_utf8(data::Side::source);
    survey_.target.bad_utf8 = reader.bad_utf8(data::Side::target);
    if (spool_) files_ = spool_->finish();
  }

  void examine(const data::SentencePair& pair) {
    const LineTraits s = source_.scan(pair.source), t = target_.scan(pair.target);
    const std::size_t source_words = source_.add(pair.source, s), target_words = target_.add(pair.target, t);
    std::uint16_t flags = 0;
    const auto flag = [&](bool holds, Problem problem) { flags |= holds ? bit(problem) : std::uint16_t{0}; };
    const bool empty = source_words == 0 || target_words == 0;
    const auto longest = static_cast<std::int64_t>(std::max(source_words, target_words));
    good_rows_ += !pair.short_row;
    flag(pair.short_row, Problem::short_row);
    flag(empty && !pair.short_row, Problem::empty);
    flag(pair.bad_utf8, Problem::bad_utf8);
    flag(!pair.bad_utf8 && (s.wrong_encoding || t.wrong_encoding), Problem::wrong_encoding);
    flag(!empty && pair.source == pair.target, Problem::identical);
    flag(options_.max_words > 0 && longest > options_.max_words, Problem::too_long);
    flag(s.mixed_word || t.mixed_word, Problem::mixed_word);
    flag(s.control || t.control, Problem::control);
    for (HeldOutIndex& index : held_out_) {
      const std::int64_t line = index.meet(s, t, pair.line);
      if (line == 0) continue;
      flag(true, Problem::leaked);
      if (leaks_.size() < options_.cases && (leaks_.empty() || leaks_.back().line != pair.line))
        leaks_.push_back({.line = pair.line, .other_line = line, .other_file = index.source_name()});
    }
    survey_.flags.push_back(flags);
    rows_.push_back({s.hash, t.hash, s.characters, t.characters, s.script, t.script});
  }

  void flag_row(std::size_t row, Problem problem) { survey_.flags[row] |= bit(problem); }
  bool is_flagged(std::size_t row, std::uint16_t flags) const { return (survey_.flags[row] & flags) != 0; }
  static constexpr std::uint16_t kUnusable = bit(Problem::short_row) | bit(Problem::empty);

  void find_repetitions() {
    std::vector<std::uint32_t> order(rows_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      const Row &x = rows_[a], &y = rows_[b];
      if (x.source_hash != y.source_hash) return x.source_hash < y.source_hash;
      return x.target_hash != y.target_hash ? x.target_hash < y.target_hash : a < b;
    });
    std::size_t first = 0;  // of a run of equal pairs
    bool several = false;   // the source at hand has more than one target
    for (std::size_t i = 1; i < order.size(); ++i) {
      const Row &row = rows_[order[i]], &before = rows_[order[i - 1]];
      const bool same_source = row.source_hash == before.source_hash;
      if (!same_source) several = false;
      if (!same_source || row.target_hash != before.target_hash) {
        if (same_source && !is_flagged(order[i], kUnusable)) {
          survey_.sources_with_several_targets += !several;
          several = true;
        }
        first = i;
      } else if (!is_flagged(order[i], kUnusable)) {
        flag_row(order[i], Problem::duplicate);
        repetitions_.push_back({order[i], order[first]});
      }
    }
    std::ranges::sort(repetitions_);
    repetitions_.resize(std::min(repetitions_.size(), options_.cases));
  }

  void find_length_problems() {
    std::vector<std::uint32_t> source, target;
    std::vector<double> ratios;
    const auto ratio = [](const Row& row) {
      constexpr double kFewLetters = 10;  // a few letters more or less are no sign of anything
      return std::log((row.target_characters + kFewLetters) / (row.source_characters + kFewLetters));
    };
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      source.push_back(rows_[i].source_characters);
      target.push_back(rows_[i].target_characters);
      if (!is_flagged(i, kUnusable)) ratios.push_back(ratio(rows_[i]));
    }
    if (ratios.empty()) return;
    const auto median = [](std::vector<double>& values) {
      const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
      std::nth_element(values.begin(), middle, values.end());
      return *middle;
    };
    const double usual = median(ratios);
    for (double& value : ratios) value = std::abs(value - usual);
    // The median deviation times 1.48 is the standard deviation of a normal distribution, whatever the outliers do.
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

  // Only where a side has one main script can another one be wrong.
  void find_other_scripts() {
    constexpr double kMain = 0.9;
    const auto strays = [](const SideSurvey& side, text::Script script) {
      return side.script_share >= kMain && script != text::kNoScript && script != side.script;
    };
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (strays(survey_.source, rows_[i].source_script) || strays(survey_.target, rows_[i].target_script))
        flag_row(i, Problem::other_script);
  }

  void choose_cases() {
    for (std::size_t i = 0; i < survey_.flags.size(); ++i) {
      if (survey_.flags[i] == 0) continue;
      for (std::size_t p = 0; p < kProblems; ++p) {
        if ((survey_.flags[i] >> p & 1U) == 0) continue;
        Finding& finding = survey_.findings[p];
        if (finding.count++ < static_cast<std::int64_t>(options_.cases))
          finding.cases.push_back({.line = static_cast<std::int64_t>(i) + 1});
      }
    }
    Finding& leaked = survey_.findings[static_cast<std::size_t>(Problem::leaked)];
    for (std::size_t k = 0; k < leaked.cases.size() && k < leaks_.size(); ++k) leaked.cases[k] = leaks_[k];
    Finding& repeated = survey_.findings[static_cast<std::size_t>(Problem::duplicate)];
    for (std::size_t k = 0; k < repeated.cases.size(); ++k) {
      repeated.cases[k].other_line = static_cast<std::int64_t>(repetitions_[k].second) + 1;
      repeated.cases[k].other_file = survey_.source.name;
    }
  }

  // The words of the cases, and the cleaned copy.
  void read_again() {
    std::vector<SurveyCase*> wanted;
    for (Finding& finding : survey_.findings)
      for (SurveyCase& found : finding.cases) wanted.push_back(&found);
    std::ranges::sort(wanted, [](const auto* a, const auto* b) { return a->line < b->line; });
    const bool clean = !options_.clean_source.empty();
    if (wanted.empty() && !clean) return;
    std::optional<AtomicFile> source, target;
    if (clean) {
      source.emplace(options_.clean_source);
      target.emplace(options_.clean_target);
    }
    data::PairReader reader(files_);
    LineScanner scanner;
    std::size_t next = 0;
    for (data::SentencePair pair; (clean || next < wanted.size()) && reader.next(pair);) {
      check<InputError>(pair.line <= survey_.pairs, "'{}' has grown while it was read", survey_.source.name);
      for (; next < wanted.size() && wanted[next]->line == pair.line; ++next) {
        wanted[next]->source = pair.source;
        wanted[next]->target = pair.target;
        wanted[next]->source_odd_at = scanner.scan(pair.source).odd_at;
        wanted[next]->target_odd_at = scanner.scan(pair.target).odd_at;
      }
      if (!clean || reason_to_drop(survey_.flags[static_cast<std::size_t>(pair.line - 1)])) continue;
      source->write(pair.source + "\n");
      target->write(pair.target + "\n");
    }
    if (!clean) return;
    source->commit();
    target->commit();
  }

  data::CorpusFiles files_;
  const SurveyOptions& options_;
  std::unique_ptr<Spool> spool_;
  SideCounter source_, target_;
  std::vector<HeldOutIndex> held_out_;
  std::int64_t good_rows_ = 0;
  std::vector<Row> rows_;
  std::vector<SurveyCase> leaks_;                                     // the first
  std::vector<std::pair<std::uint32_t, std::uint32_t>> repetitions_;  // the first: a row and the one it repeats
  Survey survey_;
};

}  // namespace

std::span<const ProblemKind> problem_kinds() {
  return kKinds;
}

double SideSurvey::mean_length() const {
  std::int64_t sentences = 0;
  for (const std::int64_t count : lengths) sentences += count;
  return sentences > 0 ? static_cast<double>(words) / static_cast<double>(sentences) : 0;
}

std::int64_t SideSurvey::length_quantile(double share) const {
  std::int64_t sentences = 0, passed = 0;
  for (const std::int64_t count : lengths) sentences += count;
  for (std::size_t length = 0; length < lengths.size(); ++length) {
    passed += lengths[length];
    if (static_cast<double>(passed) >= share * static_cast<double>(sentences)) return static_cast<std::int64_t>(length);
  }
  return 0;
}

std::int64_t Survey::clean_pairs() const {
  return std::ranges::count_if(flags, [](std::uint16_t f) { return !reason_to_drop(f); });
}

std::array<std::int64_t, kProblems> drop_tally(const Survey& survey) {
  std::array<std::int64_t, kProblems> tally{};
  for (const std::uint16_t flags : survey.flags)
    if (const auto reason = reason_to_drop(flags)) ++tally[static_cast<std::size_t>(*reason)];
  return tally;
}

Survey survey_corpus(const data::CorpusFiles& files, const SurveyOptions& options) {
  return Surveyor(files, options).run();
}

}  // namespace heed::survey
