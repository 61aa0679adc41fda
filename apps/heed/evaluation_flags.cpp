#include "evaluation_flags.h"

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/shared_options.h"
#include "metrics/segment.h"
#include "translate/translator.h"

namespace heed::cli {

void declare(Options& o, EvaluationFlags& v) {
  o.flag("source", v.source, "sentences to translate, one per line").value("FILE").reads();
  o.flag("reference", v.reference, "reference translations, one per line").value("FILE").reads();
  declare(o, v.pairs, "--source and --reference");
  declare_beam(o, v.translate.search);
  declare_batch(o, v.translate);
  declare_threads(o, v.translate.threads);
  o.flag("text-layer", v.text_layer,
         "treat text as `heed translate` does by default: split sentences, protect numbers and markup, restore case");
  o.flag("lowercase", v.lowercase,
         "ignore case in BLEU, chrF and exact matches; the default if a model writes lower case only; TER always does");
  o.flag("cased", v.cased, "make BLEU, chrF and exact matches case-sensitive even if a model writes lower case only");
  o.flag("tokenize", v.tokenize, "BLEU's tokenizer", choices(metrics::metric_tokenizer_names()));
  o.flag("gold", v.gold, "gold word links of source and reference; also score the model's alignment")
      .value("FILE")
      .reads();
  alignment::declare_gold_base(o, v.gold_base);
  o.flag("pretokenized", v.pretokenized, "for --gold: the files are already tokenized; words are separated by spaces");
  declare_json(o, v.json);
}

evaluate::EvaluateOptions evaluate_options(const EvaluationFlags& flags) {
  check<UsageError>(!flags.lowercase || !flags.cased,
                    "--lowercase and --cased contradict each other; give only one of them");
  evaluate::EvaluateOptions options;
  if (flags.lowercase || flags.cased) options.lowercase = flags.lowercase;
  options.metric.bleu_tokenizer = flags.tokenize;
  options.translate = flags.translate;
  options.text_layer = flags.text_layer;
  options.translate.on_progress = [bar = progress_bar("translating", "tokens")](std::size_t done, std::size_t all) {
    bar(done, all);
    return true;
  };
  options.on_scored = progress_bar("scoring", "pairs");
  return options;
}

evaluate::TestSet read_test_set(const EvaluationFlags& flags, const std::string& model) {
  const bool two = !flags.source.empty() || !flags.reference.empty();
  check<UsageError>(!two || flags.pairs.files.empty(), "give either --pairs, or --source and --reference, not both");
  check<UsageError>(!two || !flags.source.empty(),
                    "--source FILE is missing: the sentences to translate, one per line");
  check<UsageError>(
      !flags.reference.empty() || !flags.pairs.files.empty(), "{} is missing: {}",
      two ? "--reference FILE" : "--source FILE",
      two ? "reference translations, one per line" : "give --source and --reference, or --pairs with both sides");
  std::vector<TextFile> files;
  if (two)
    files = {read_text(flags.source, flags.pairs.encoding), read_text(flags.reference, flags.pairs.encoding)};
  else
    files = read_pairs(flags.pairs, model_languages(model));
  const std::string source_name = files[0].name;
  files[0].tokenized = false;  // suppress the note about tokenized text: that is fine for a source
  check_lines(files);
  if (two) note_reversed(flags.source, flags.reference, model);
  check_reference(files[1]);
  print_notes(files);
  evaluate::TestSet test{.sources = std::move(files[0].lines),
                         .references = std::move(files[1].lines),
                         .pretokenized = flags.pretokenized};
  if (!flags.gold.empty()) test.gold = read_gold(flags.gold, flags.gold_base, {source_name, test.sources.size()});
  return test;
}

std::vector<std::string> scoring_notes(std::span<const evaluate::Evaluation> models, std::span<const std::string> names,
                                       const EvaluationFlags& flags) {
  std::vector<std::string> notes, lower;
  for (std::size_t k = 0; k < models.size(); ++k) {
    const evaluate::Evaluation& model = models[k];
    if (model.writes_lower_case) lower.push_back(names[k]);
    if (model.normalized_references > 0)
      notes.push_back(fmt::format(
          "{} was trained on normalized text ({}), which changes {} of the {} references; they are scored as they are.",
          names[k], fmt::join(model.normalize, ", "), model.normalized_references, model.translations.size()));
  }
  if (!lower.empty() && !flags.lowercase && !flags.cased)
    notes.insert(notes.begin(),
                 fmt::format("BLEU, chrF and exact matches ignore case (case:lc), because {} write{} lower case only; "
                             "--cased makes them case-sensitive.",
                             fmt::join(lower, ", "), lower.size() == 1 ? "s" : ""));
  return notes;
}

Json to_json(const evaluate::Evaluation& e) {
  Json json = {{"model", e.name},
               {"system", e.system},
               {"parameters", e.parameters},
               {"file_bytes", e.file_bytes},
               {"exact", e.exact},
               {"exact_signature", e.exact_signature},
               {"perplexity", e.perplexity.value},
               {"perplexity_tokens", e.perplexity.tokens},
               {"unknown_tokens", e.perplexity.unknown},
               {"too_long", e.perplexity.too_long},
               {"seconds", e.seconds},
               {"sentences_per_second", e.sentences_per_second},
               {"target_tokens_per_second", e.target_tokens_per_second}};
  for (const metrics::CorpusScore& score : e.scores) json[score.name] = to_json(score, false);
  if (e.shortlist) json["shortlist"] = {{"coverage", e.shortlist->covered}, {"candidates", e.shortlist->candidates}};
  if (e.alignment)
    json["alignment"] = {
        {"precision", e.alignment->precision()}, {"recall", e.alignment->recall()}, {"aer", e.alignment->aer()}};
  return json;
}

}  // namespace heed::cli
