// heed evaluate: translates a test set and reports quality, perplexity and speed.
#include <fmt/format.h>

#include "base/csv.h"
#include "base/files.h"
#include "base/numbers.h"
#include "command.h"
#include "evaluation_screen.h"
#include "model/model_path.h"

namespace heed::cli {
namespace evaluate_command {

struct Values {
  std::string model, out;
  EvaluationFlags flags;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.model, "a model file or run directory").reads(model::model_files);
  declare(o, v.flags);
  o.flag("out", v.out,
         "write the translations to this file, one per line; if it ends in .csv, a table with source and reference")
      .value("FILE")
      .writes();
}

std::string translations(const std::string& out, const evaluate::TestSet& test, const evaluate::Evaluation& result) {
  const bool csv = out.ends_with(".csv");
  std::string text = csv ? "source,reference,translation\r\n" : "";
  for (std::size_t i = 0; i < result.translations.size(); ++i)
    text += csv ? csv_row({test.sources[i], test.references[i], result.translations[i]}) + "\r\n"
                : result.translations[i] + "\n";
  return text;
}

int run(Values& v, Options& /*options*/) {
  const evaluate::EvaluateOptions evaluate = evaluate_options(v.flags);
  const evaluate::TestSet test = read_test_set(v.flags, v.model);
  translate::Translator translator(v.model);
  const evaluate::Evaluation result = evaluate_file(translator, v.model, test, evaluate);
  const std::string name = "the model";
  for (const std::string& note : scoring_notes({&result, 1}, {&name, 1}, v.flags)) print_note("{}", note);
  if (!v.out.empty()) write_file_atomically(v.out, translations(v.out, test, result));
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
  write_output("speed       {:.1f} sentences/s, {:.0f} tokens/s: {} in {:.2f} s\n", result.sentences_per_second,
               result.target_tokens_per_second, counted(test.sources.size(), "sentence"), result.seconds);
  return 0;
}

}  // namespace evaluate_command

const Command kEvaluate{
    .name = "evaluate",
    .group = "Evaluation",
    .summary = "translate a test set and score it: BLEU, chrF, TER, perplexity, speed",
    .example = "heed evaluate run/model.safetensors --source pocket.test.en --reference pocket.test.de",
    .make = action<evaluate_command::Values, evaluate_command::declare, evaluate_command::run>};

}  // namespace heed::cli
