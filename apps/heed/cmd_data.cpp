// heed data: reports what is in a corpus and what is wrong with it; writes a cleaned copy.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/decompress.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/shared_options.h"
#include "base/terminal.h"
#include "command.h"
#include "progress.h"
#include "survey/report.h"
#include "text/words.h"

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
  bool strict = false;
  bool json = false;
};

// "de" of train.de and train.de.gz; empty if there is none.
std::string ending(const std::string& path) {
  const std::string extension = std::filesystem::path(without_compression_suffix(path)).filename().extension().string();
  return extension.size() > 1 ? extension.substr(1) : "";
}

// The copies that --clean writes: one file if it is a TSV file; otherwise PREFIX.de and PREFIX.en, or PREFIX.source and
// PREFIX.target if the corpus is not two files whose endings differ.
std::vector<std::string> clean_files(const Values& values) {
  if (values.clean.ends_with(".tsv")) return {values.clean};
  const bool two = values.files.size() == 2 && !data::looks_like_corpus(values.files[0]);
  std::string source = two ? ending(values.files[0]) : "", target = two ? ending(values.files[1]) : "";
  if (source.empty() || target.empty() || source == target) source = "source", target = "target";
  return {values.clean + "." + source, values.clean + "." + target};
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
          "Lines; plain or gzip, zstd, xz; -: standard input",
          0)
      .reads(data::weighted_file);
  options.flag("tsv", values.tsv, "the corpus as a tab-separated file").value("FILE").reads();
  options
      .flag("columns", values.columns,
            "source and target column of all tables, as numbers or names, such as 1,2 or de,en; default: by their "
            "header, "
            "or else the first two")
      .value("S,T")
      .alias("--tsv-columns");
  declare_encoding(options, values.encoding);
  options
      .flag("clean", values.clean,
            "write the pairs without problems to PREFIX plus the endings of the input files (PREFIX.en, PREFIX.de); to "
            "one file of TSV if it "
            "ends in .tsv")
      .value("PREFIX")
      .writes([&values](const std::string&) { return clean_files(values); });
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
            "language of the source: of its column, and for `words`; default: the file's ending")
      .value("xx");
  options.flag("target-language", values.target_language, "language of the target").value("xx");
  options.flag("lowercase", values.lowercase, "ignore case when counting words");
  options.flag("max-words", values.max_words, "report pairs with more words on one side; 0: no limit", at_least(0))
      .value("N");
}

data::CorpusFiles list_files(const Values& values, const data::CorpusFlags& flags) {
  data::CorpusFiles corpus = list_corpus(flags);
  corpus.columns = data::parse_columns(values.columns);
  corpus.encoding = values.encoding;
  return corpus;
}

data::CorpusFiles corpus_of(const Values& values, const data::Languages& languages) {
  check<UsageError>(!values.tsv.empty() || !values.files.empty(),
                    "no corpus; give a source and a target file, or one file with both sides (see heed help data)");
  data::CorpusFiles corpus = list_files(
      values, {.files = values.files, .tables = values.tsv, .languages = languages, .lone_file_is_table = true});
  corpus.strict = values.strict;
  return corpus;
}

std::vector<survey::HeldOutFiles> held_out_of(const Values& values, const data::Languages& languages) {
  std::vector<survey::HeldOutFiles> sets;
  const auto add = [&](const char* label, const char* name, const HeldOutFlags& held) {
    const data::CorpusFlags flags{held.files, held.source, held.target, held.tsv, name, languages};
    if (!flags.empty()) sets.push_back({label, list_files(values, flags)});
  };
  add("validation", "valid", values.valid);
  add("testing", "test", values.test);
  return sets;
}

std::unique_ptr<text::Tokenizer> tokenizer_of(const Values& values, const std::string& language,
                                              const std::string& file) {
  const std::string found = language.empty() ? ending(file) : language;
  text::TokenizerOptions options{.kind = values.tokenizer, .language = text::has_word_rules(found) ? found : ""};
  if (values.lowercase) options.normalize.emplace_back("lowercase");
  return make_tokenizer(options);
}

void print_tally(const survey::Survey& survey, const survey::SurveyOptions& options) {
  const auto tally = drop_tally(survey);
  std::string reasons;
  for (std::size_t p = 0; p < survey::kProblems; ++p) {
    if (tally[p] == 0) continue;
    const survey::ProblemKind& kind = survey::kProblemKinds[p];
    reasons += fmt::format("{}{}", reasons.empty() ? "" : ", ", counted(tally[p], kind.one, kind.many));
  }
  say("heed: wrote {} of {} to {}{}{}; skipped: {}\n", grouped(survey.clean_pairs()), counted(survey.pairs, "pair"),
      options.clean_source, options.clean_target.empty() ? "" : " and ", options.clean_target,
      reasons.empty() ? "none" : reasons);
}

int run(Values& values, Options&) {
  const data::Languages languages{values.source_language, values.target_language};
  const data::CorpusFiles corpus = corpus_of(values, languages);
  const auto source = tokenizer_of(values, values.source_language, corpus.parts[0].source);
  const auto target = tokenizer_of(values, values.target_language, corpus.parts[0].target);
  Progress progress("reading", 0, "bytes");
  survey::SurveyOptions options{
      .source_tokenizer = source.get(),
      .target_tokenizer = target.get(),
      .max_words = values.max_words,
      .cases = static_cast<std::size_t>(values.cases),
      .held_out = held_out_of(values, languages),
      .on_progress = [&](std::int64_t pairs, std::int64_t bytes) { progress.update(pairs, bytes); },
  };
  if (!values.clean.empty()) {
    const std::vector<std::string> copies = clean_files(values);
    options.clean_source = copies[0];
    if (copies.size() > 1) options.clean_target = copies[1];
  }
  const survey::Survey survey = survey_corpus(corpus, options);
  progress.clear();
  for (const std::string& note : survey.notes) print_note("{}", note);
  if (values.json) {
    Json json = survey_json(survey);
    if (!values.clean.empty()) json["clean"]["files"] = clean_files(values);
    print_json(json);
  } else {
    write_output(survey_page(survey, std::min<std::size_t>(terminal_width(STDOUT_FILENO, 100), 120)));
    if (values.clean.empty() && survey.clean_pairs() < survey.pairs)
      write_output("`heed data … --clean PREFIX` writes these pairs to new files.\n");
  }
  if (!values.clean.empty()) print_tally(survey, options);
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
