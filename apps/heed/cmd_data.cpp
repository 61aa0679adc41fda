// heed data: reports what is in a corpus and what is wrong with it; writes a cleaned copy, or splits it.
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/decompress.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/shared_options.h"
#include "base/terminal.h"
#include "command.h"
#include "data/directions.h"
#include "data/split.h"
#include "data/spool.h"
#include "progress.h"
#include "survey/report.h"
#include "text/words.h"
#include "text_arguments.h"

namespace heed::cli {

namespace data_command {

// A held-out set: --valid and so on, or --test and so on.
struct HeldOutFlags {
  std::vector<std::string> files, source, target, tsv;
};

struct Values {
  std::vector<std::string> files, tsv;
  std::string columns;
  Encoding encoding = Encoding::detect;
  HeldOutFlags valid, test;
  std::string tokenizer = "words";
  std::string source_language, target_language;
  bool lowercase = false;
  std::int64_t max_words = 250;
  std::int64_t cases = 3;
  std::string clean;
  std::vector<survey::Filter> filters;
  std::vector<std::string> split;
  std::vector<std::string> split_sizes;
  bool strict = false;
  bool json = false;
};

// "de" of train.de and train.de.gz; empty if there is none.
std::string ending(const std::string& path) {
  const std::string extension = std::filesystem::path(without_compression_suffix(path)).filename().extension().string();
  return extension.size() > 1 ? extension.substr(1) : "";
}

data::Languages languages_of(const Values& values) {
  return {values.source_language, values.target_language};
}

data::CorpusFiles corpus_of(const Values& values) {
  check<UsageError>(!values.tsv.empty() || !values.files.empty(),
                    "no corpus; give a source and a target file, or one file with both sides (see heed data --help)");
  data::CorpusFiles corpus = data::list_corpus({.files = values.files,
                                                .tables = values.tsv,
                                                .languages = languages_of(values),
                                                .columns = values.columns,
                                                .encoding = values.encoding,
                                                .lone_file_is_table = true});
  corpus.strict = values.strict;
  return corpus;
}

// The files of a copy or a part of the corpus. If the corpus is two plain files: NAME.de and NAME.en, or NAME.source
// and NAME.target if their endings do not differ. NAME.tsv for any other corpus, or if the name already ends in .tsv.
data::PairFiles output_files(const Values& values, const std::string& name) {
  if (name.ends_with(".tsv")) return {.tsv = name};
  const bool two = values.tsv.empty() && values.files.size() == 2 &&
                   std::ranges::none_of(values.files, data::looks_like_corpus, data::without_weight);
  if (!two) return {.tsv = name + ".tsv"};
  const data::CorpusPart part = corpus_of(values).parts[0];  // the files may be in the other order
  std::string source = ending(part.source), target = ending(part.target);
  if (source.empty() || target.empty() || source == target) source = "source", target = "target";
  return {.source = name + "." + source, .target = name + "." + target};
}

void declare_held_out(Options& options, HeldOutFlags& flags, const std::string& name, const std::string& what) {
  options.flag(name, flags.files, fmt::format("the {} set, in any mix of formats", what))
      .several()
      .value("FILE")
      .reads(data::weighted_file);
  options.flag(name + "-source", flags.source, fmt::format("source of the {} set", what)).value("FILE").reads();
  options.flag(name + "-target", flags.target, fmt::format("target of the {} set", what)).value("FILE").reads();
  options.flag(name + "-tsv", flags.tsv, fmt::format("the {} set as TSV", what)).value("FILE").reads();
}

void declare(Options& options, Values& values) {
  std::vector<std::string> kinds;
  for (const text::TokenizerKind& kind : text::tokenizer_kinds())
    if (kind.name != "sentencepiece") kinds.emplace_back(kind.name);
  options
      .positional(
          "FILES", values.files,
          "the corpus in any mix of formats: plain files in pairs (source first), TSV, CSV, TMX, XLIFF, PO, JSON "
          "Lines; uncompressed or gzip, zstd, xz; - reads standard input",
          0)
      .reads(data::weighted_file);
  options.flag("tsv", values.tsv, "the corpus as a tab-separated file").value("FILE").reads();
  options.flag("columns", values.columns, data::kColumnsHelp).value("S,T").alias("--tsv-columns");
  declare_encoding(options, values.encoding);
  options
      .flag("clean", values.clean,
            "write the pairs without problems to PREFIX plus the endings of the input files (PREFIX.en, PREFIX.de); to "
            "one TSV file if PREFIX ends in .tsv, or if the corpus is not two plain files")
      .value("PREFIX")
      .writes([&values](const std::string&) { return output_files(values, values.clean).names(); });
  options
      .flag("filter", values.filters, "also leave out pairs with these problems from the files of --clean and --split")
      .value("NAMES");
  options
      .flag("split", values.split,
            "split the corpus into training, validation and test files of these names, plus the endings of the input "
            "files; the parts have no source in common, and the same sentences are held out each time")
      .value("PREFIX,…")
      .comma_separated()
      .writes([&values](const std::string& name) { return output_files(values, name).names(); });
  options
      .flag("split-size", values.split_sizes,
            "pairs in each part after the first, or a fraction (0.1, 10%); one size for all, or one for each; default: "
            "2,000 pairs or 5% of the corpus, whichever is less")
      .value("N,…")
      .comma_separated();
  declare_json(options, values.json, "print JSON instead of the report");
  options.flag("cases", values.cases, "examples to show per problem", range(0, 1000)).value("N");
  options.flag("strict", values.strict, "treat invalid UTF-8 as an error");
  options.group("Held-out text (should not occur in the corpus)");
  declare_held_out(options, values.valid, "valid", "validation");
  declare_held_out(options, values.test, "test", "test");
  options.group("Words");
  options.flag("tokenizer", values.tokenizer, "how to split lines into words", choices(kinds)).value("NAME");
  options
      .flag("source-language", values.source_language,
            "language of the source, for its column and the rules of `words`; default: the file's ending")
      .value("CODE");
  options.flag("target-language", values.target_language, "language of the target").value("CODE");
  options.flag("lowercase", values.lowercase, "ignore case when counting words");
  options.flag("max-words", values.max_words, "report pairs with more words on one side; 0: no limit", at_least(0))
      .value("N");
}

// The sets of --valid and --test; their files follow the languages of the corpus.
std::vector<survey::HeldOutFiles> held_out_of(const Values& values, data::CorpusFiles corpus) {
  std::vector<survey::HeldOutFiles> sets;
  std::optional<data::Languages> languages;
  corpus.keep_short_rows = true;
  const auto add = [&](const char* label, const char* name, const HeldOutFlags& held) {
    data::CorpusFlags flags{held.files, held.source, held.target, held.tsv, name, {}, values.columns, values.encoding};
    if (flags.empty()) return;
    if (!languages) languages = corpus_languages(corpus);
    flags.languages = *languages;
    sets.push_back({label, list_corpus(flags)});
  };
  add("validation", "valid", values.valid);
  add("testing", "test", values.test);
  return sets;
}

std::unique_ptr<text::Tokenizer> tokenizer_of(const Values& values, const std::string& language) {
  text::TokenizerOptions options{.kind = values.tokenizer, .language = text::has_word_rules(language) ? language : ""};
  if (values.lowercase) options.normalize.emplace_back("lowercase");
  return make_tokenizer(options);
}

std::string join_names(const data::PairFiles& files) {
  return fmt::format("{}", fmt::join(files.names(), " and "));
}

void print_tally(const survey::Survey& survey, const data::PairFiles& files) {
  const auto tally = drop_tally(survey);
  std::string reasons;
  for (std::size_t p = 0; p < survey::kProblems; ++p) {
    if (tally[p] == 0) continue;
    const survey::ProblemKind& kind = survey::kProblemKinds[p];
    reasons += fmt::format("{}{}", reasons.empty() ? "" : ", ", counted(tally[p], kind.one, kind.many));
  }
  say("heed: wrote {} of {} to {}; skipped: {}\n", grouped(survey.clean_pairs()), counted(survey.pairs, "pair"),
      join_names(files), reasons.empty() ? "none" : reasons);
}

void check_split(const Values& values, const Options& options) {
  check<UsageError>(!values.split.empty() || !options.is_set(&values.split),
                    "--split is empty; give it names, such as train,valid,test, or leave it out");
  check<UsageError>(!values.split.empty() || values.split_sizes.empty(), "--split-size needs --split");
  if (values.split.empty()) return;
  const std::size_t held_out = values.split.size() - 1;
  check<UsageError>(held_out >= 1 && held_out <= 9, "--split needs 2 to 10 names, such as train,valid,test");
  check<UsageError>(values.split_sizes.size() <= 1 || values.split_sizes.size() == held_out,
                    "--split-size has {} sizes; give one, or one for each of the {} parts after the first",
                    values.split_sizes.size(), held_out);
  std::vector<std::string> names;
  for (const std::string& name : values.split) {
    check<UsageError>(!name.empty(), "--split has an empty name");
    for (std::string& file : output_files(values, name).names()) names.push_back(std::move(file));
  }
  std::ranges::sort(names);
  const auto same = std::ranges::adjacent_find(names);
  check<UsageError>(same == names.end(), "--split would write '{}' twice; give each part a name of its own",
                    same == names.end() ? "" : *same);
}

// Splits the corpus, without the pairs that --clean and --filter leave out.
data::Split split(const Values& values, data::CorpusFiles corpus, const survey::Survey& survey) {
  data::SplitOptions options;
  options.held_out.resize(values.split.size() - 1);
  for (std::size_t i = 0; i < options.held_out.size() && !values.split_sizes.empty(); ++i)
    options.held_out[i] =
        data::parse_part_size(values.split_sizes[std::min(i, values.split_sizes.size() - 1)], "--split-size");
  const survey::ProblemSet dropped = values.clean.empty() ? problems_of(values.filters) : survey.dropped;
  corpus.keep_short_rows = (dropped & bit(survey::Problem::short_row)) != 0;
  for (const survey::ProblemSet flags : survey.flags)
    options.parts.push_back((flags & dropped) == 0 ? data::kTrainingPart : data::kNoPart);
  data::Split split = split_corpus(corpus, options);
  for (std::size_t i = 0; i < split.pairs.size(); ++i)
    check<InputError>(split.pairs[i] > 0, "'{}' would get none of the {} pairs; {}", values.split[i], split.eligible,
                      i == 0 ? "give a smaller --split-size" : "give a larger corpus, or a larger --split-size");
  std::vector<data::PairFiles> outputs;
  for (const std::string& name : values.split) outputs.push_back(output_files(values, name));
  write_parts(corpus, split.parts, outputs);
  return split;
}

void print_split(const Values& values, const data::Split& split) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < split.pairs.size(); ++i)
    parts.push_back(fmt::format("{} pairs to {}", split.pairs[i], join_names(output_files(values, values.split[i]))));
  say("heed: wrote {}{}\n", fmt::format("{}", fmt::join(parts, ", ")),
      split.removed > 0 ? fmt::format("; left out {} that have the source of a held-out pair", split.removed) : "");
}

// UsageError for --columns if no file is a table.
void refuse_columns_without_table(const Values& values) {
  std::vector<std::string> files;
  for (const auto* more : {&values.files, &values.valid.files, &values.test.files})
    files.insert(files.end(), more->begin(), more->end());
  const bool has_tables =
      values.files.size() == 1 || !values.tsv.empty() || !values.valid.tsv.empty() || !values.test.tsv.empty();
  if (!has_tables) data::refuse_columns_without_table(values.columns, files);
}

// If the files go in different directions: an error if copies are to be written, otherwise a note beside the report.
void check_directions(const Values& values, const data::CorpusFiles& corpus) try {
  data::check_directions(corpus);
} catch (const InputError& error) {
  if (!values.clean.empty() || !values.split.empty()) throw;
  print_note("{}", error.what());
}

int run(Values& values, Options& options) {
  check_split(values, options);
  refuse_columns_without_table(values);
  check<UsageError>(values.filters.empty() || !values.clean.empty() || !values.split.empty(),
                    "--filter has no effect without --clean PREFIX or --split PREFIX,…, which write files");
  for (const std::string& path : values.files)
    refuse_model(path, "give the files of a corpus, or see what the model contains with heed info");
  const data::SpooledCorpus spooled(corpus_of(values), "");
  const data::CorpusFiles& corpus = spooled.files();
  check_directions(values, corpus);
  const auto language = [](const std::string& given, const std::string& file) {
    return given.empty() ? ending(file) : given;
  };
  const std::string source_language = language(values.source_language, corpus.parts[0].source);
  const std::string target_language = language(values.target_language, corpus.parts[0].target);
  const auto source = tokenizer_of(values, source_language), target = tokenizer_of(values, target_language);
  Progress progress("reading", 0, "bytes");
  survey::SurveyOptions survey_options{
      .source_tokenizer = source.get(),
      .target_tokenizer = target.get(),
      .max_words = values.max_words,
      .cases = static_cast<std::size_t>(values.cases),
      .held_out = held_out_of(values, corpus),
      .source_language = source_language,
      .target_language = target_language,
      .on_progress = [&](std::int64_t pairs, std::int64_t bytes) { progress.update(pairs, bytes); },
  };
  survey_options.dropped |= problems_of(values.filters);
  if (!values.clean.empty()) survey_options.clean = output_files(values, values.clean);
  const survey::Survey survey = survey_corpus(corpus, survey_options);
  std::optional<data::Split> parts;
  if (!values.split.empty()) parts = split(values, corpus, survey);
  progress.clear();
  for (const std::string& note : survey.notes) print_note("{}", note);
  if (values.json) {
    Json json = survey_json(survey);
    if (!values.clean.empty()) json["clean"]["files"] = survey_options.clean.names();
    for (std::size_t i = 0; parts && i < parts->pairs.size(); ++i)
      json["split"].push_back({{"files", output_files(values, values.split[i]).names()}, {"pairs", parts->pairs[i]}});
    print_json(json);
  } else {
    write_output(survey_page(survey, std::min<std::size_t>(terminal_width(STDOUT_FILENO, 100), 120)));
    if (values.clean.empty() && survey.clean_pairs() < survey.pairs)
      write_output("`heed data … --clean PREFIX` writes the pairs that are not marked ✗ to new files.\n");
  }
  flush_output();  // before messages, if both go to one file
  if (!values.clean.empty()) print_tally(survey, survey_options.clean);
  if (parts) print_split(values, *parts);
  return 0;
}

}  // namespace data_command

const Command kData{.name = "data",
                    .group = "Data",
                    .summary = "check a corpus before training: statistics and problems, with line numbers",
                    .example =
                        "heed corpus pocket --pairs 500 --out pocket\n"
                        "heed data pocket.train.en pocket.train.de \\\n"
                        "  --valid-source pocket.valid.en --valid-target pocket.valid.de",
                    .make = action<data_command::Values, data_command::declare, data_command::run>};

}  // namespace heed::cli
