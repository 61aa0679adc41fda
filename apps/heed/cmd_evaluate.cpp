// heed evaluate: translates a test set and reports quality, perplexity and speed.
#include <fmt/format.h>

#include "base/csv.h"
#include "base/decompress.h"
#include "base/error.h"
#include "base/numbers.h"
#include "command.h"
#include "evaluation_flags.h"
#include "interrupt.h"
#include "model/model_path.h"
#include "output_file.h"
#include "sharding.h"

namespace heed::cli {
namespace evaluate_command {

struct Values {
  std::string model, out, translations, shortlist;
  std::vector<std::string> files;
  EvaluationFlags flags;
  ShardFlags shards;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.model, "a model file or run directory").reads(model::model_files);
  o.positional("FILE", v.files,
               "source and reference, instead of --source and --reference; or one file with both, instead of --pairs",
               0, 2)
      .reads();
  declare(o, v.flags);
  translate::declare_shortlist(o, v.shortlist, "off");
  o.flag("translations", v.translations, "score these translations of the source instead of translating it")
      .value("FILE")
      .reads();
  o.flag("out", v.out,
         "write the translations to this file, one per line; if it ends in .csv, a table with source and reference")
      .value("FILE")
      .writes();
  declare(o, v.shards, "translation; the last one scores it");
}

std::string translations(const std::string& out, const evaluate::TestSet& test, const evaluate::Evaluation& result) {
  const bool csv = without_compression_suffix(out).ends_with(".csv");
  std::string text = csv ? "source,reference,translation\r\n" : "";
  for (std::size_t i = 0; i < result.translations.size(); ++i)
    text += csv ? csv_row({test.sources[i], test.references[i], result.translations[i]}) + "\r\n"
                : result.translations[i] + "\n";
  return text;
}

// The translations of the test set that were made elsewhere.
std::vector<std::string> read_translations(const Values& v, const Options& options, std::size_t sentences) {
  const std::pair<bool, const char*> for_translating[] = {{v.flags.text_layer, "--text-layer"},
                                                          {options.is_set(&v.flags.translate.search.beam), "--beam"},
                                                          {options.is_set(&v.shortlist), "--shortlist"}};
  for (const auto& [set, flag] : for_translating)
    check<UsageError>(!set, "{} has no effect with --translations, because nothing is translated", flag);
  TextFile file = read_text(v.translations);
  check<InputError>(file.lines.size() == sentences,
                    "--translations {} has {}, but the source has {}; give one translation per source line",
                    in_quotes(file.name), counted(file.lines.size(), "line"), sentences);
  return std::move(file.lines);
}

int report(const Values& v, const evaluate::TestSet& test, const evaluate::Evaluation& result) {
  const std::string name = "the model";
  for (const std::string& note : scoring_notes({&result, 1}, {&name, 1}, v.flags)) print_note("{}", note);
  if (!v.out.empty()) {
    OutputFile file(v.out, false);
    file.write(translations(v.out, test, result));
    file.commit();
  }
  if (v.flags.json) {
    Json json = to_json(result);
    json["sentences"] = test.sources.size();
    print_json(json);
    return 0;
  }
  print_scores(result.scores);
  const evaluate::Perplexity& p = result.perplexity;
  write_output("{:<8}  {}\n", "exact", result.exact_signature);
  write_output("\nexact       {:.1f}%: {} of {} translations equal to the reference\n",
               100.0 * static_cast<double>(result.exact) / static_cast<double>(test.sources.size()), result.exact,
               grouped(test.sources.size()));
  write_output("perplexity  {:.2f} over {}, {} of them unknown{}\n", p.value, counted(p.tokens, "reference token"),
               p.unknown,
               p.too_long > 0 ? fmt::format(" ({} skipped, too long for the model)", counted(p.too_long, "pair")) : "");
  if (result.alignment)
    write_output("alignment   {:.2f} AER, precision {:.2f}, recall {:.2f}\n", result.alignment->aer(),
                 result.alignment->precision(), result.alignment->recall());
  if (result.shortlist)
    write_output("shortlist   {:.2f}% of the reference tokens are candidates; {:.0f} candidates per sentence\n",
                 100 * result.shortlist->covered, result.shortlist->candidates);
  if (result.seconds > 0)
    write_output("speed       {:.1f} sentences/s, {:.0f} tokens/s: {} in {:.2f} s\n", result.sentences_per_second,
                 result.target_tokens_per_second, counted(test.sources.size(), "sentence"), result.seconds);
  return 0;
}

// The work of one process among many: --shard-dir.
int run_shard(const Values& v, const Options& options, evaluate::TestSet& test, translate::Translator& translator,
              const evaluate::EvaluateOptions& evaluate) {
  const auto process = [&](const shards::Lines& chunk, const ShardedCommand::Advance& advance) {
    evaluate::EvaluateOptions own = evaluate;
    own.translate.on_progress = [&](std::size_t done, std::size_t all) {
      if (all > 0) advance(static_cast<std::int64_t>(chunk.lines.size() * done / all));
      return interrupted() == 0;
    };
    const std::vector<translate::LineResult> lines = translate_sources(translator, chunk.lines, own);
    if (interrupted() != 0) return std::optional<std::string>();
    std::string text;
    for (const translate::LineResult& line : lines) text += line.best().text + "\n";
    return std::optional(std::move(text));
  };
  const auto finish = [&](const shards::ShardDirectory& directory) {
    std::string rest;
    gather(directory, [&](std::string_view text) {
      rest += text;
      std::size_t from = 0;
      for (std::size_t end = 0; (end = rest.find('\n', from)) != rest.npos; from = end + 1)
        test.translations.push_back(rest.substr(from, end - from));
      rest.erase(0, from);
    });
    report(v, test, evaluate_file(translator, v.model, test, evaluate));
  };
  return run_sharded(v.shards, options,
                     {.name = "evaluate",
                      .verb = "translating",
                      .inputs = {v.flags.source},
                      .input_flags = {"--source"},
                      .encoding = v.flags.pairs.encoding,
                      .process = process,
                      .finish = finish});
}

int run(Values& v, Options& options) {
  v.flags.translate.search.shortlist = translate::wants_shortlist(v.shortlist, false);
  check<UsageError>(v.files.size() != 1 || model::is_model(model::model_path(v.model)),
                    "{} is not a model; the model, a file or a run directory, comes first: heed evaluate MODEL SOURCE "
                    "REFERENCE",
                    in_quotes(v.model));
  take_files(v.files, v.flags.source, v.flags.reference, v.flags.pairs, "--source and --reference");
  check_shard_flags(v.shards, options);
  const bool shared = !v.shards.directory.empty();
  check<UsageError>(shared || v.shards.share.empty(), "--shard needs --shard-dir: only a whole test set has scores");
  check<UsageError>(!shared || v.translations.empty(),
                    "--translations has been translated already; leave out either it or --shard-dir");
  check<UsageError>(!shared || v.flags.pairs.files.empty(), "--shard-dir reads --source and --reference, not --pairs");
  const evaluate::EvaluateOptions evaluate = evaluate_options(v.flags);
  evaluate::TestSet test = read_test_set(v.flags, v.model);
  if (!v.translations.empty()) test.translations = read_translations(v, options, test.sources.size());
  translate::Translator translator(v.model);
  translate::check_shortlist(v.shortlist, translator.has_shortlist(), v.model);
  if (shared) return run_shard(v, options, test, translator, evaluate);
  return report(v, test, evaluate_file(translator, v.model, test, evaluate));
}

}  // namespace evaluate_command

const Command kEvaluate{
    .name = "evaluate",
    .group = "Evaluation",
    .summary = "translate a test set and score it: BLEU, chrF, TER, perplexity, speed",
    .example = "heed evaluate run/model.safetensors --source pocket.test.en --reference pocket.test.de",
    .make = action<evaluate_command::Values, evaluate_command::declare, evaluate_command::run>};

}  // namespace heed::cli
