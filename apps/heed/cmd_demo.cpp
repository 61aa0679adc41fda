// heed demo: generates the built-in corpus, trains on it and translates the held-out sentences.
#include <unistd.h>

#include <array>
#include <filesystem>

#include "alignment/attention_links.h"
#include "alignment/error_rate.h"
#include "base/shared_options.h"
#include "base/terminal.h"
#include "command.h"
#include "demo_directory.h"
#include "model/presets.h"
#include "pocket/corpus.h"
#include "train_screen.h"
#include "translate/translator.h"
#include "viz/heatmap.h"
#include "viz/raster.h"

namespace heed::cli {
namespace demo_command {

constexpr std::size_t kTestPairs = 1000, kShown = 6, kPictureWords = 8;

struct Values {
  std::string out = "runs/demo";
  bool quick = false;
  int pairs = 20000, epochs = 14, threads = 0;
};
constexpr const char* kQuickOut = "runs/quick";
constexpr int kQuickEpochs = 5;

void declare(Options& o, Values& v) {
  o.flag("quick", v.quick,
         fmt::format("train a smaller model, 64 instead of 128 units, for {} epochs: half a minute on 2 cores; "
                     "--out is then {} unless given",
                     kQuickEpochs, kQuickOut));
  o.flag("out", v.out, "directory for the corpus, the model and the pictures; an earlier demo in it is replaced")
      .value("DIR")
      .writes();
  o.flag("pairs", v.pairs, "number of training pairs", range(100, kDemoMostPairs));
  o.flag("epochs", v.epochs, "passes over the training pairs", range(1, 1000));
  declare_threads(o, v.threads);
}

// The default preset, scaled down to a vocabulary of about 500 words.
train::RunConfig demo_config(const Values& v, bool quick) {
  train::RunConfig config;
  Options options;
  declare(options, config);
  options.apply_toml(model::find_preset("heed").toml, "preset heed");
  config.text.tokenizer = "words";
  config.text.source_language = "en";
  config.text.target_language = "de";
  config.model.encoder.embedding = config.model.decoder.embedding = config.model.readout.size = 96;
  config.model.encoder.hidden = config.model.decoder.hidden = 128;
  config.model.dropout = {.source_embedding = 0.1, .target_embedding = 0.1, .readout = 0.1};
  config.data.min_frequency = 1;
  config.data.unknown_rate = 0;
  config.data.holdout = false;  // the corpus has validation text
  config.training.batch = 32;
  config.training.learning_rate = 0.002;
  config.training.schedule = {.kind = train::ScheduleKind::linear, .from = 0.4, .floor = 0.02};
  config.training.label_smoothing = 0.05;
  config.training.ema = 0;
  config.training.epochs = v.epochs;
  config.training.threads = v.threads;
  if (quick) {
    config.model.encoder.embedding = config.model.decoder.embedding = config.model.readout.size = 64;
    config.model.encoder.hidden = config.model.decoder.hidden = 64;
    config.model.dropout = {};
    config.training.batch = 16;
    config.training.learning_rate = 0.005;
    config.training.schedule = {.kind = train::ScheduleKind::linear, .warmup = 50, .from = 0.3, .floor = 0.02};
    config.training.label_smoothing = 0;
  }
  return config;
}

// Prints some translations of unseen sentences and the fraction that equals the reference.
void show_translations(const std::vector<pocket::PocketPair>& test,
                       const std::vector<translate::LineResult>& translated) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < test.size(); ++i) {
    const std::string& text = translated[i].best().text;
    const bool same = text == test[i].target;
    right += same ? 1 : 0;
    if (i >= kShown) continue;
    write_output("\n  {}\n  {}\n", test[i].source, text);
    if (!same) write_output("  (reference: {})\n", test[i].target);
  }
  write_output("\n{} of {} held-out sentences translated exactly right ({:.1f}%)\n", right, test.size(),
               100.0 * static_cast<double>(right) / static_cast<double>(test.size()));
}

// Draws the attention of the first few longer sentences; the first one also on the terminal.
void show_attention(const std::string& out, const std::vector<pocket::PocketPair>& test,
                    const std::vector<translate::LineResult>& translated) {
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < test.size() && drawn < kDemoPictures; ++i) {
    if (translated[i].best().attention.target.size() < kPictureWords) continue;
    const translate::Translation& best = translated[i].best();
    const viz::Heatmap map{.title = best.text, .subtitle = test[i].source, .attention = best.attention, .links = {}};
    const std::string svg = viz::heatmap_svg({&map, 1});
    const std::string name = (std::filesystem::path(out) / fmt::format("attention-{}", ++drawn)).string();
    write_file_atomically(name + ".svg", svg);
    write_file_atomically(name + ".png", viz::svg_to_png(svg));
    if (drawn > 1) continue;
    const auto color = viz::terminal_color(STDOUT_FILENO);
    write_output("\nAttention for one of them:\n\n");
    write_output(viz::heatmap_terminal(map, {.color = color, .width = terminal_width(STDOUT_FILENO, 100)}));
  }
  if (drawn > 0) write_output("\n{} attention pictures: {}/attention-*.png\n", drawn, out);
}

// Scores the attention under forced decoding of the references against the gold alignment.
void show_alignment(const translate::Translator& translator, const std::vector<pocket::PocketPair>& test, int threads) {
  std::vector<std::string> sources, targets;
  std::vector<alignment::Alignment> gold;
  for (const pocket::PocketPair& pair : test) {
    sources.push_back(pair.source);
    targets.push_back(pair.target);
    gold.push_back(pair.alignment);
  }
  const auto forced = translator.score(sources, targets, {.threads = worker_count(threads)});
  const alignment::LinkWords words(translator.pipeline().config(), false);
  const alignment::AlignmentScore score = score_alignments(align_pairs(forced, sources, targets, words), gold);
  write_output(
      "\nWord alignment from attention, compared with the gold alignment: precision {:.1f}%, recall "
      "{:.1f}%, alignment error rate {:.1f}%\n",
      score.precision(), score.recall(), score.aer());
}

// Suggests commands to try next; `text` is a sentence that the model has not seen.
void show_next(const std::string& model, const std::string& text) {
  const std::string heed = program_name(), file = quote_word(model), line = quote_word(text);
  write_output(
      "\nNext:\n"
      "  echo {1} | {0} translate {2}\n"
      "  {0} attend {2} {1}\n"
      "  {0} attend {2} {1} --out page.html    # watch the decoder step by step, in a browser\n"
      "  {0} translate {2}    # translates each line that you type; Ctrl-D exits\n",
      heed, line, file);
}

int run(Values& v, Options& options) {
  if (v.quick && !options.is_set(&v.out)) v.out = kQuickOut;
  if (v.quick && !options.is_set(&v.epochs)) v.epochs = kQuickEpochs;
  const auto path = [&](const char* name) { return (std::filesystem::path(v.out) / name).string(); };
  const pocket::PocketCorpus corpus;
  const train::RunConfig config = demo_config(v, v.quick);
  const train::RunFiles files{.train_source = {path("pocket.train.en")},
                              .train_target = {path("pocket.train.de")},
                              .valid_source = {path("pocket.valid.en")},
                              .valid_target = {path("pocket.valid.de")},
                              .out = v.out};
  check_demo_directory(files, std::array{demo_config(v, false), demo_config(v, true)});
  make_directories(v.out);
  say("writing the pocket corpus to {}\n", v.out);
  write_pocket(path("pocket"), corpus, {.train = static_cast<std::size_t>(v.pairs), .valid = 500, .test = kTestPairs});
  TrainScreen screen(v.out, 1);
  const train::RunResult trained = train_run(config, files, train::Start::overwrite, screen);
  if (const int code = screen.finish(trained); code != 0) return code;

  const ExitOnInterrupt exit_at_once;
  const std::vector<pocket::PocketPair> test = corpus.pairs(pocket::Split::test, kTestPairs);
  std::vector<std::string> sources;
  for (const pocket::PocketPair& pair : test) sources.push_back(pair.source);
  translate::Translator translator(path("model.safetensors"));
  const std::vector<translate::LineResult> translated = translator.translate(sources, {.threads = v.threads});
  show_translations(test, translated);
  show_attention(v.out, test, translated);
  show_alignment(translator, test, v.threads);
  if (screen.has_report()) write_output("Training report: {}\n", path("report.html"));
  show_next(path("model.safetensors"), "The old man is reading a book.");
  return 0;
}

}  // namespace demo_command

const Command kDemo{
    .name = "demo",
    .group = "Start here",
    .summary = "train on the built-in corpus and translate with the result; takes minutes, works offline",
    .example = "heed demo --quick",
    .make = action<demo_command::Values, demo_command::declare, demo_command::run>};

}  // namespace heed::cli
