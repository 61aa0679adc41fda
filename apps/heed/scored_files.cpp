#include "scored_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/shared_options.h"
#include "base/utf8.h"
#include "command.h"
#include "data/formats/format.h"
#include "metrics/segment.h"
#include "model/model_file.h"
#include "progress.h"
#include "text/languages.h"
#include "translate/pipeline.h"

namespace heed::cli {

TextFile read_text(const std::string& path, Encoding encoding) {
  LineReader reader(path, encoding);
  TextFile file{.name = reader.name(), .lines = {}, .notes = {}};
  metrics::TokenizedText tokenized;
  std::int64_t bad_line = 0;
  for (std::string line; reader.next(line);) {
    tokenized.add(line);
    if (bad_line == 0 && !is_valid_utf8(line)) bad_line = reader.line_number();
    file.lines.push_back(std::move(line));
  }
  file.tokenized = tokenized.likely();
  if (!reader.note().empty()) file.notes.push_back(reader.note());
  if (bad_line > 0)
    file.notes.push_back(fmt::format(
        "{}:{}: invalid UTF-8, here and perhaps later; each invalid byte is read as U+FFFD", file.name, bad_line));
  return file;
}

void declare(Options& o, PairFlags& flags, std::string_view instead) {
  o.flag("pairs", flags.files,
         fmt::format("both sides, in any mix of formats (plain files in pairs, TSV, CSV, TMX, XLIFF, PO, JSON Lines), "
                     "instead of {}",
                     instead))
      .several()
      .value("FILE")
      .reads(data::weighted_file);
  o.flag("columns", flags.columns, "source and target column of tables in --pairs, such as 1,2 or de,en").value("S,T");
  declare_encoding(o, flags.encoding);
}

namespace {

data::Languages languages_of(const translate::TextPipeline& pipeline) {
  const text::TextConfig& config = pipeline.config();
  const auto& [source, target] = pipeline.languages();
  if (!config.source_language.empty() || !config.target_language.empty()) return {.source = source, .target = target};
  if (source.empty() || target.empty()) return {};
  return {.source = source, .target = target, .why = "as the model does"};
}

}  // namespace

data::Languages model_languages(const std::string& path) {
  const model::ModelFile file = model::load_model(path);
  return languages_of(translate::read_pipeline(file, path));
}

data::Languages model_languages(const translate::Translator& translator) {
  return languages_of(translator.pipeline());
}

void note_reversed(const std::string& source, const std::string& target, const std::string& model) {
  const data::Languages endings = data::ending_languages({.source = source, .target = target});
  if (endings.source.empty()) return;
  const data::Languages languages = model_languages(model);
  if (!languages.source.empty() && !languages.target.empty() && are_reversed(endings, languages))
    print_note("{} is given as the source, but the model translates {}", in_quotes(source), describe(languages));
}

void check_reverse(const data::Languages& forward, const data::Languages& backward, const std::string& reverse) {
  const auto differ = [](const std::string& a, const std::string& b) {
    return !a.empty() && !b.empty() && text::language_key(a) != text::language_key(b);
  };
  check<UsageError>(!differ(forward.source, backward.target) && !differ(forward.target, backward.source),
                    "--reverse needs a model that translates {} to {}, but {} translates {} to {}", forward.target,
                    forward.source, in_quotes(reverse), backward.source, backward.target);
}

std::vector<TextFile> read_pairs(const PairFlags& flags, const data::Languages& languages) {
  data::refuse_columns_without_table(flags.columns, flags.files);
  data::PairReader reader(data::list_corpus({.files = flags.files,
                                             .flag = "pairs",
                                             .languages = languages,
                                             .columns = flags.columns,
                                             .encoding = flags.encoding}));
  std::vector<TextFile> files(2);
  metrics::TokenizedText tokenized[2];
  for (data::SentencePair pair; reader.next(pair);) {
    tokenized[0].add(pair.source);
    tokenized[1].add(pair.target);
    files[0].lines.push_back(std::move(pair.source));
    files[1].lines.push_back(std::move(pair.target));
  }
  for (const data::Side side : {data::Side::source, data::Side::target}) {
    TextFile& file = files[side == data::Side::source ? 0 : 1];
    file.name = reader.name(side);
    file.tokenized = tokenized[side == data::Side::source ? 0 : 1].likely();
    if (const data::BadUtf8& bad = reader.bad_utf8(side); bad.lines > 0)
      file.notes.push_back(
          fmt::format("{}:{}: invalid UTF-8, here and perhaps later; each invalid byte is read as U+FFFD",
                      bad.first_file, bad.first_line));
  }
  std::ranges::move(reader.notes(), std::back_inserter(files[0].notes));
  return files;
}

void take_files(std::span<const std::string> files, std::string& first, std::string& second, PairFlags& pairs,
                std::string_view flags) {
  if (files.empty()) return;
  const bool both_sides = files.size() == 1 && data::looks_like_corpus(files[0]);
  check<UsageError>(
      both_sides || files.size() == 2,
      "{} is one plain file, but two are needed; give both, or {}, or one file with both sides (TSV, CSV, "
      "TMX, XLIFF, PO, JSON Lines)",
      in_quotes(files[0]), flags);
  check<UsageError>(first.empty() && second.empty() && pairs.files.empty(),
                    "{} is given as an argument, but {} or --pairs name files too; give the files only once",
                    in_quotes(files[0]), flags);
  if (both_sides) {
    pairs.files = {files[0]};
  } else {
    first = files[0];
    second = files[1];
  }
}

void check_lines(std::span<const LineCount> files) {
  const std::size_t lines = files.front().lines;
  if (std::ranges::any_of(files, [&](const LineCount& file) { return file.lines != lines; })) {
    std::vector<std::string> counts;
    counts.reserve(files.size());
    for (const LineCount& file : files)
      counts.push_back(fmt::format("{} has {} line{}", in_quotes(file.name), file.lines, file.lines == 1 ? "" : "s"));
    const std::string last = counts.back();
    counts.pop_back();
    const std::string joined = fmt::format("{} and {}", fmt::join(counts, ", "), last);
    throw InputError("the files must have the same number of lines, but {}", joined);
  }
  check<InputError>(lines > 0, "{} is empty: it has no sentences", in_quotes(files.front().name));
}

void check_lines(std::span<const TextFile> files) {
  std::vector<LineCount> counts;
  counts.reserve(files.size());
  for (const TextFile& file : files) counts.push_back({file.name, file.lines.size()});
  check_lines(counts);
}

// A few empty lines may be correct translations; a file of empty lines is a mistake.
void check_reference(TextFile& file) {
  std::size_t empty = 0, first = 0;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    if (!metrics::read_segment(file.lines[i], false).empty()) continue;
    if (empty++ == 0) first = i + 1;
  }
  check<InputError>(empty < file.lines.size(), "the reference {} has no words: nothing can be scored against it",
                    file.name);
  if (empty > 0)
    file.notes.push_back(
        fmt::format("the reference {} has {} (first: line {})", file.name, counted(empty, "empty line"), first));
}

void print_notes(std::span<const TextFile> files, std::string_view if_tokenized) {
  for (const TextFile& file : files) {
    if (file.tokenized && !if_tokenized.empty())
      print_note("{} looks tokenized (periods and commas are separate words); {}", file.name, if_tokenized);
    for (const std::string& note : file.notes) print_note("{}", note);
  }
}

void note_base(const std::string& path, const char* flag, int base, std::span<const alignment::Alignment> links) {
  if (base == 0 && skips_first_words(links))
    print_note("no link in {} uses word 0; if its words are counted from 1, add {} 1", path, flag);
}

std::vector<alignment::Alignment> read_gold(const std::string& path, int base, const LineCount& beside) {
  auto gold = alignment::read_alignments(path, base);
  check_lines(std::vector<LineCount>{beside, {path, gold.size()}});
  note_base(path, "--gold-base", base, gold);
  return gold;
}

std::function<void(std::size_t done, std::size_t all)> progress_bar(const std::string& label, const std::string& unit) {
  return [=, bar = std::shared_ptr<Progress>()](std::size_t done, std::size_t all) mutable {
    const auto count = static_cast<std::int64_t>(done);
    if (!bar) bar = std::make_shared<Progress>(label, static_cast<std::int64_t>(all), unit);
    bar->update(count, count);
    if (done == all) bar.reset();
  };
}

std::vector<double> sentence_scores(const metrics::CorpusScore& scored) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < scored.sentence_statistics.rows(); ++i)
    scores.push_back(scored.metric->score(scored.sentence_statistics.row(i), metrics::Level::sentence));
  return scores;
}

Json to_json(const metrics::CorpusScore& scored, bool sentence) {
  Json out = {{"score", scored.score()}, {"signature", signature(*scored.metric, scored.references)}};
  const std::string details = scored.metric->details(scored.sums);
  if (!details.empty()) out["details"] = details;
  if (!sentence) return out;
  out["sentences"] = sentence_scores(scored);
  out["sentence_signature"] = signature(*scored.metric, scored.references, metrics::Level::sentence);
  return out;
}

Json to_json(const metrics::Interval& interval) {
  return {{"mean", interval.mean}, {"half_width", interval.half_width}, {"low", interval.low}, {"high", interval.high}};
}

Json significance_json(const metrics::SystemComparison& result, const metrics::CorpusScore& scored,
                       const metrics::ResamplingOptions& options) {
  const auto test = [&](double p, const char* kind, std::int64_t samples) {
    const std::string resampling = fmt::format("{}:{}|seed:{}", kind, samples, options.seed);
    return Json{{"p_value", p},
                {"signature", signature(*scored.metric, scored.references, metrics::Level::corpus, resampling)}};
  };
  return {{"difference", result.system_score - result.baseline_score},
          {"difference_interval", to_json(result.difference_interval)},
          {"bootstrap", test(result.bootstrap_p, "bs", options.bootstrap_samples)},
          {"randomisation", test(result.randomization_p, "ar", options.randomization_trials)}};
}

void print_scores(const std::vector<metrics::CorpusScore>& all) {
  for (const metrics::CorpusScore& scored : all) {
    const metrics::Metric& metric = *scored.metric;
    const std::string remark = metric.lower_is_better() ? "lower is better" : metric.details(scored.sums);
    write_output("{:<8}  {:>6.2f}{}{}\n", metric.label(), scored.score(), remark.empty() ? "" : "  ", remark);
  }
  write_output("\n");
  for (const metrics::CorpusScore& scored : all)
    write_output("{:<8}  {}\n", scored.metric->label(), signature(*scored.metric, scored.references));
}

}  // namespace heed::cli
