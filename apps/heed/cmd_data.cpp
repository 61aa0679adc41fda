// heed data: reports what is in a corpus and what is wrong with it; writes a cleaned copy.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

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

struct Values {
  std::vector<std::string> files;
  std::string tsv;
  std::string tsv_columns = "1,2";
  std::string valid_source, valid_target, valid_tsv;
  std::string test_source, test_target, test_tsv;
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
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  const std::string extension = name.extension().string();
  return extension.size() > 1 ? extension.substr(1) : "";
}

// The copies that --clean writes: PREFIX.de and PREFIX.en, or PREFIX.source and PREFIX.target if the files' endings do
// not differ.
std::vector<std::string> clean_files(const Values& values) {
  const bool two = values.files.size() == 2;
  std::string source = two ? ending(values.files[0]) : "", target = two ? ending(values.files[1]) : "";
  if (source.empty() || target.empty() || source == target) source = "source", target = "target";
  return {values.clean + "." + source, values.clean + "." + target};
}

void declare(Options& options, Values& values) {
  std::vector<std::string> kinds;
  for (const text::TokenizerKind& kind : text::tokenizer_kinds())
    if (kind.name != "sentencepiece") kinds.emplace_back(kind.name);
  options
      .positional("FILES", values.files,
                  "source and target with one sentence per line, or one TSV file; plain or gzip; -: standard input", 0,
                  2)
      .reads();
  options.flag("tsv", values.tsv, "the corpus as one tab-separated file").value("FILE").reads();
  options.flag("tsv-columns", values.tsv_columns, "the source and target columns of all TSV files").value("A,B");
  options
      .flag("clean", values.clean,
            "write the pairs without problems to PREFIX plus the endings of the input files (PREFIX.en, PREFIX.de)")
      .value("PREFIX")
      .writes([&values](const std::string&) { return clean_files(values); });
  declare_json(options, values.json, "print JSON instead of the report");
  options.flag("cases", values.cases, "examples to show per problem", range(0, 1000)).value("N");
  options.flag("strict", values.strict, "treat invalid UTF-8 as an error");
  options.group("Held-out text (should not occur in the corpus)");
  options.flag("valid-source", values.valid_source, "source of the validation set").value("FILE").reads();
  options.flag("valid-target", values.valid_target, "target of the validation set").value("FILE").reads();
  options.flag("valid-tsv", values.valid_tsv, "the validation set as TSV").value("FILE").reads();
  options.flag("test-source", values.test_source, "source of the test set").value("FILE").reads();
  options.flag("test-target", values.test_target, "target of the test set").value("FILE").reads();
  options.flag("test-tsv", values.test_tsv, "the test set as TSV").value("FILE").reads();
  options.group("Words");
  options.flag("tokenizer", values.tokenizer, "how to split lines into words", choices(kinds)).value("NAME");
  options
      .flag("source-language", values.source_language,
            "language of the source, for `words`; default: the file's ending")
      .value("xx");
  options.flag("target-language", values.target_language, "language of the target").value("xx");
  options.flag("lowercase", values.lowercase, "ignore case when counting words");
  options.flag("max-words", values.max_words, "report pairs with more words on one side; 0: no limit", at_least(0))
      .value("N");
}

data::CorpusFiles corpus_of(const Values& values) {
  data::CorpusFiles files{
      .tsv = values.tsv, .columns = data::parse_columns(values.tsv_columns), .strict = values.strict};
  check<UsageError>(values.tsv.empty() || values.files.empty(), "give FILES or --tsv, not both: '{}' and '{}'",
                    values.files.empty() ? "" : values.files[0], values.tsv);
  check<UsageError>(!values.tsv.empty() || !values.files.empty(),
                    "no corpus; give a source and a target file, or one TSV file (see heed help data)");
  if (values.files.size() == 1) files.tsv = values.files[0];
  if (values.files.size() == 2) {
    files.source = values.files[0];
    files.target = values.files[1];
  }
  return files;
}

std::vector<survey::HeldOutFiles> held_out_of(const Values& values, const data::CorpusFiles& corpus) {
  std::vector<survey::HeldOutFiles> sets;
  const auto add = [&](const char* label, const char* flag_prefix, const std::string& source, const std::string& target,
                       const std::string& tsv) {
    if (source.empty() && target.empty() && tsv.empty()) return;
    sets.push_back(
        {label,
         {.source = source, .target = target, .tsv = tsv, .columns = corpus.columns, .flag_prefix = flag_prefix}});
  };
  add("validation", "valid", values.valid_source, values.valid_target, values.valid_tsv);
  add("testing", "test", values.test_source, values.test_target, values.test_tsv);
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
  say("heed: wrote {} of {} to {} and {}; skipped: {}\n", grouped(survey.clean_pairs()), counted(survey.pairs, "pair"),
      options.clean_source, options.clean_target, reasons.empty() ? "none" : reasons);
}

int run(Values& values, Options&) {
  const data::CorpusFiles corpus = corpus_of(values);
  const auto source = tokenizer_of(values, values.source_language, corpus.source);
  const auto target = tokenizer_of(values, values.target_language, corpus.target);
  Progress progress("reading", 0, "bytes");
  survey::SurveyOptions options{
      .source_tokenizer = source.get(),
      .target_tokenizer = target.get(),
      .max_words = values.max_words,
      .cases = static_cast<std::size_t>(values.cases),
      .held_out = held_out_of(values, corpus),
      .on_progress = [&](std::int64_t pairs, std::int64_t bytes) { progress.update(pairs, bytes); },
  };
  if (!values.clean.empty()) {
    const std::vector<std::string> copies = clean_files(values);
    options.clean_source = copies[0];
    options.clean_target = copies[1];
  }
  const survey::Survey survey = survey_corpus(corpus, options);
  progress.clear();
  if (values.json) {
    Json json = survey_json(survey);
    if (!values.clean.empty()) json["clean"]["files"] = {options.clean_source, options.clean_target};
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
