// heed evaluate: translates a test set and reports quality, perplexity and speed.
#include <fmt/format.h>

#include "base/files.h"
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
  o.flag("out", v.out, "write the translations to this file").value("FILE").writes();
}

int run(Values& v, Options& /*options*/) {
  const evaluate::TestSet test = read_test_set(v.flags);
  const evaluate::Evaluation result = evaluate_file(v.model, test, evaluate_options(v.flags));
  if (!v.out.empty()) {
    std::string text;
    for (const std::string& line : result.translations) text += line + "\n";
    write_file_atomically(v.out, text);
  }
  if (v.flags.json) {
    Json json = to_json(result);
    json["sentences"] = test.sources.size();
    print_json(json);
    return 0;
  }
  print_scores(result.scores);
  const evaluate::Perplexity& p = result.perplexity;
  write_output("\nexact       {:.1f}%: {} of {} translations equal the reference\n",
               100.0 * static_cast<double>(result.exact) / static_cast<double>(test.sources.size()), result.exact,
               test.sources.size());
  write_output("perplexity  {:.2f} over {} reference tokens, {} of them unknown{}\n", p.value, p.tokens, p.unknown,
               p.too_long > 0 ? fmt::format(" ({} pairs skipped, too long for the model)", p.too_long) : "");
  if (result.alignment)
    write_output("alignment   {:.2f} AER, precision {:.2f}, recall {:.2f}\n", result.alignment->aer(),
                 result.alignment->precision(), result.alignment->recall());
  write_output("speed       {:.1f} sentences/s, {:.0f} tokens/s: {} sentences in {:.2f} s\n",
               result.sentences_per_second, result.target_tokens_per_second, test.sources.size(), result.seconds);
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
