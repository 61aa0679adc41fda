// heed bench translate: translation speed, start-up time and memory of a model on this machine.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/files.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/shared_options.h"
#include "base/stopwatch.h"
#include "base/thread_pool.h"
#include "bench.h"
#include "command.h"
#include "kernels/profile.h"
#include "model/model_path.h"
#include "translate/translator.h"

namespace heed::cli {
namespace bench_translate_command {

struct Values {
  std::string model, source, shortlist;
  bool json = false;
  translate::TranslateOptions translate = {.search = {.beam = 1, .attention = false}};
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.model, "a model file or run directory").reads(model::model_files);
  o.flag("source", v.source, "text to translate, one sentence per line").value("FILE").required().reads();
  declare_beam(o, v.translate.search);
  declare_batch(o, v.translate);
  declare_threads(o, v.translate.threads);
  translate::declare_shortlist(o, v.shortlist, "on if the model has a shortlist");
  declare_json(o, v.json, "print JSON instead of the table");
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  LineReader reader(path);
  for (std::string line; reader.next(line);) lines.push_back(line);
  check<InputError>(!lines.empty(), "'{}' is empty: there is nothing to translate", path);
  return lines;
}

// Translates line by line, as for a caller who has only one; returns the median time in milliseconds.
double median_ms(translate::Translator& translator, std::span<const std::string> lines,
                 const translate::TranslateOptions& options) {
  std::vector<double> times;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Stopwatch watch;
    translator.translate(lines.subspan(i, 1), options);
    times.push_back(1000 * watch.seconds());
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

int run(Values& v, Options& /*options*/) {
  // Processor time since the program started, then the time to load the model.
  const double before = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  Stopwatch watch;
  translate::Translator translator(v.model);
  const double start_up = before + watch.seconds();
  translate::check_shortlist(v.shortlist, translator.has_shortlist(), v.model);
  const bool shortlist = translator.has_shortlist() && translate::wants_shortlist(v.shortlist, true);
  v.translate.search.shortlist = shortlist;

  const std::vector<std::string> lines = read_lines(v.source);
  const int threads = worker_count(v.translate.threads);
  // A first round, not counted, so that memory has grown to its final size.
  const auto first =
      std::span(lines).first(std::min(lines.size(), static_cast<std::size_t>(v.translate.batch * threads)));
  translator.translate(first, v.translate);
  kernels::Profile::start();
  watch.restart();
  const std::vector<translate::LineResult> results = translator.translate(lines, v.translate);
  const double seconds = watch.seconds();
  kernels::Profile::stop();

  std::size_t tokens = 0;
  for (const translate::LineResult& result : results) tokens += result.best().probabilities.size();
  Json result = {{"target_tokens_per_second", static_cast<double>(tokens) / seconds},
                 {"sentences_per_second", static_cast<double>(lines.size()) / seconds},
                 {"peak_rss_mb", peak_memory_mb()},
                 {"parameters", translator.model().parameters().count()},
                 {"multiply_share", kernels::Profile::seconds(kernels::Profile::matmul) / (seconds * threads)},
                 {"start_up_ms", 1000 * start_up},
                 {"sentences", lines.size()},
                 {"target_tokens", tokens},
                 {"seconds", seconds},
                 {"beam", v.translate.search.beam},
                 {"batch", v.translate.batch},
                 {"threads", threads},
                 {"shortlist", shortlist}};
  if (v.translate.batch == 1) result["median_ms"] = median_ms(translator, lines, v.translate);
  if (v.json) {
    print_json(result);
    return 0;
  }
  write_output(
      "{}: {} parameters, {}, beam {}, batches of {}, {}{}\n"
      "  {:>9.1f} target tokens/s\n  {:>9.1f} sentences/s\n  {:>9.1f} MB peak memory\n  {:>9.1f} ms start-up\n"
      "  {:>8.1f}% of the time in matrix products\n",
      v.model, grouped(translator.model().parameters().count()), counted(lines.size(), "sentence"),
      v.translate.search.beam, v.translate.batch, counted(threads, "thread"), shortlist ? ", shortlist" : "",
      result["target_tokens_per_second"].get<double>(), result["sentences_per_second"].get<double>(),
      result["peak_rss_mb"].get<double>(), 1000 * start_up, 100 * result["multiply_share"].get<double>());
  return 0;
}

}  // namespace bench_translate_command

const Command kBenchTranslate{
    .name = "bench translate",
    .group = "Models",
    .summary = "measure a model's translation speed and memory on this machine",
    .example = "heed bench translate run/model.safetensors --source pocket.train.en",
    .make = action<bench_translate_command::Values, bench_translate_command::declare, bench_translate_command::run>};

}  // namespace heed::cli
