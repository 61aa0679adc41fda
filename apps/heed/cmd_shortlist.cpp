// heed shortlist: learns which target words may translate each source word and adds them to a model.
#include "base/json.h"
#include "base/numbers.h"
#include "base/shared_options.h"
#include "base/terminal.h"
#include "command.h"
#include "data/prepare.h"
#include "model/int8_model.h"
#include "model/model_path.h"
#include "scored_files.h"
#include "train/shortlist.h"
#include "translate/pipeline.h"

namespace heed::cli {
namespace shortlist_command {

struct Values {
  std::string model, columns, out;
  std::vector<std::string> train;
  Encoding encoding = Encoding::detect;
  bool json = false;
  int threads = 0;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.model, "a model file or run directory").reads(model::model_files);
  o.flag("train", v.train, "the training text of the model, in any format that `heed train` reads")
      .required()
      .several()
      .value("FILE")
      .reads(data::weighted_file)
      .common();
  o.flag("out", v.out, "write the model with its shortlist to this file; by default, it replaces the model")
      .value("FILE")
      .writes()
      .common();
  o.flag("columns", v.columns, data::kColumnsHelp).value("S,T");
  declare_encoding(o, v.encoding);
  declare_threads(o, v.threads);
  declare_json(o, v.json);
}

data::Prepared read_text(const Values& v, const translate::TextPipeline& pipeline) {
  data::refuse_columns_without_table(v.columns, v.train);
  const data::CorpusFiles corpus = data::list_corpus({.files = v.train,
                                                      .flag = "train",
                                                      .languages = model_languages(v.model),
                                                      .columns = v.columns,
                                                      .encoding = v.encoding});
  ThreadPool pool(worker_count(v.threads));
  const text::TextConfig& text = pipeline.config();
  return encode_corpus(corpus, {&pipeline.source_tokenizer(), &pipeline.source()},
                       {&pipeline.target_tokenizer(), &pipeline.target()},
                       {.source_normalizer = text::Normalizer(text.normalize, text.source_language),
                        .target_normalizer = text::Normalizer(text.normalize, text.target_language),
                        .placeholders = text.placeholders,
                        .pool = &pool});
}

// On the text that the shortlist comes from: evenly spaced pairs, because all of them could take long.
model::ShortlistCoverage coverage_of(const model::Shortlist& shortlist, const data::ExampleStore& examples,
                                     Index vocabulary) {
  constexpr std::size_t kMostPairs = 10'000;
  model::ShortlistCoverage coverage(shortlist, vocabulary);
  const std::size_t step = (examples.size() + kMostPairs - 1) / kMostPairs;
  for (std::size_t i = 0; i < examples.size(); i += step) coverage.add(examples.source(i), examples.target(i));
  return coverage;
}

int run(Values& v, Options& /*options*/) {
  const std::string path = model::model_path(v.model);
  const model::ModelFile file = model::load_model(path);
  check<InputError>(
      !model::is_int8(*file.model),
      "{} is an int8 model; add the shortlist to the model that it was made from, and quantize that again",
      in_quotes(path));
  const translate::TextPipeline pipeline = translate::read_pipeline(file, path);
  const data::Prepared text = read_text(v, pipeline);
  for (const std::string& note : text.notes) print_note("{}", note);
  const model::Shortlist shortlist = train::learn_shortlist(text.examples, pipeline.source(), pipeline.target());
  const std::string& out = v.out.empty() ? path : v.out;
  file.check_unchanged();
  save_model(out, *file.model, file.metadata, &shortlist);
  const model::ShortlistCoverage coverage = coverage_of(shortlist, text.examples, pipeline.target().size());
  if (coverage.unused() > 0.5)
    print_note("most lists are longer than a quarter of the vocabulary, so the whole vocabulary is used");
  if (v.json) {
    print_json({{"model", out},
                {"pairs", text.examples.size()},
                {"bytes", shortlist.bytes()},
                {"candidates_per_word", shortlist.mean_candidates()},
                {"always", shortlist.always().size()},
                {"candidates", coverage.mean_candidates()},
                {"coverage", coverage.covered()}});
    return 0;
  }
  write_output(
      "{}: shortlist from {}, {:.2f} MB\n"
      "  {:.1f} candidates per source word, {} for every sentence\n"
      "  {:.0f} of {} target words are candidates of a sentence on average\n"
      "  {:.2f}% of the target tokens of this text are candidates of their sources\n",
      out, counted(text.examples.size(), "sentence pair"), static_cast<double>(shortlist.bytes()) / 1e6,
      shortlist.mean_candidates(), shortlist.always().size(), coverage.mean_candidates(),
      grouped(pipeline.target().size()), 100 * coverage.covered());
  return 0;
}

}  // namespace shortlist_command

const Command kShortlist{.name = "shortlist",
                         .group = "Models",
                         .summary = "add the likely translations of each word to a model, for faster translation",
                         .example =
                             "heed shortlist run --train pocket.train.en pocket.train.de\n"
                             "heed shortlist run --train pocket.train.en pocket.train.de --out fast.safetensors",
                         .make = action<shortlist_command::Values, shortlist_command::declare, shortlist_command::run>};

}  // namespace heed::cli
