// heed align: word alignments from a model's attention or from the texts alone, and their error rate, or the error
// rate of alignments made elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "alignment/attention_links.h"
#include "alignment/error_rate.h"
#include "alignment/symmetrize.h"
#include "alignment/text_aligner.h"
#include "base/error.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/shared_options.h"
#include "base/thread_pool.h"
#include "command.h"
#include "interrupt.h"
#include "model/model_path.h"
#include "output_file.h"
#include "scored_files.h"
#include "sharding.h"
#include "text/words.h"
#include "translate/translator.h"

namespace heed::cli {
namespace align_command {

struct Values {
  std::string model, source, target, reverse, symmetrize = "grow-diag-final", hypothesis, gold, out;
  std::string source_language, target_language;
  PairFlags pairs;
  int base = 0, gold_base = 0, threads = 0;
  bool pretokenized = false, json = false;
  alignment::LinkOptions link;
  ShardFlags shards;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.model,
               "a model file or run directory: align with its attention; without one, links are learned from the texts "
               "alone",
               false)
      .reads(model::model_files);
  o.flag("source", v.source, "source sentences, one per line").value("FILE").reads();
  o.flag("target", v.target, "their translations, one per line").value("FILE").reads();
  declare(o, v.pairs, "--source and --target");
  o.flag("pretokenized", v.pretokenized, "the files are already tokenized: words are separated by spaces");
  o.flag("source-language", v.source_language,
         "without a MODEL: language of the source, for the rules that split it into words")
      .value("CODE");
  o.flag("target-language", v.target_language, "without a MODEL: language of the target").value("CODE");
  o.flag("reverse", v.reverse, "a model for the opposite direction; its links are combined with those of MODEL")
      .value("MODEL")
      .reads(model::model_files);
  o.flag("symmetrize", v.symmetrize, "how to combine the two directions", choices(alignment::symmetrizations()));
  o.flag("threshold", v.link.threshold, "minimum attention weight of a link", range(0, 1));
  o.flag(
      "shift", v.link.shift,
      "use the attention of the step after each word, not of the step that predicts it; only for models trained with "
      "training.guided_shift");
  o.flag("out", v.out, "write the links to this file; compressed if it ends in .gz, .zst or .xz")
      .value("FILE")
      .writes();
  declare_threads(o, v.threads);
  o.group("Scoring");
  o.flag("gold", v.gold, "gold links to score against: 0-0 is sure, 0p0 is possible").value("FILE").reads();
  alignment::declare_gold_base(o, v.gold_base);
  o.flag("hypothesis", v.hypothesis, "score these links instead, one sentence per line: 0-0 1-2").value("FILE").reads();
  o.flag("base", v.base, "number of the first word in --hypothesis", range(0, 1));
  declare_json(o, v.json);
  declare(o, v.shards, "alignment (which needs a MODEL)");
}

bool is_shared(const Values& v) {
  return !v.shards.directory.empty() || !v.shards.share.empty();
}

// Rejects missing flags and combinations that contradict each other.
void check_flags(const Values& v, const Options& options) {
  check_shard_flags(v.shards, options);
  const auto refuse = [&](const void* field, const char* flag, const char* why) {
    check<UsageError>(!options.is_set(field), "{} {}", flag, why);
  };
  const bool texts = !v.source.empty() || !v.target.empty() || !v.pairs.files.empty();
  if (!v.hypothesis.empty()) {
    check<UsageError>(!v.gold.empty(), "--hypothesis needs --gold, the links to score it against");
    check<UsageError>(v.model.empty(), "--hypothesis scores links made elsewhere: leave out either it or the MODEL");
    check<UsageError>(!texts, "--hypothesis scores links made elsewhere: leave out either it or --source and --target");
    refuse(&v.out, "--out", "writes links that heed makes, but those of --hypothesis exist already");
    refuse(&v.pretokenized, "--pretokenized", "applies to texts, but --hypothesis has only links");
  } else {
    check<UsageError>(!v.model.empty() || texts,
                      "nothing to align; give two texts (--source and --target, or --pairs) or links to score "
                      "(--hypothesis)");
    const bool one_side = v.source.empty() != v.target.empty(), two_files = !v.source.empty() || !v.target.empty();
    check<UsageError>(!one_side && (two_files || !v.pairs.files.empty()),
                      "aligning needs both texts; give --source and --target, or --pairs");
    check<UsageError>(!two_files || v.pairs.files.empty(), "give either --pairs, or --source and --target, not both");
    refuse(&v.base, "--base", "applies to --hypothesis; links that heed makes count from 0");
  }
  if (v.model.empty()) {
    refuse(&v.reverse, "--reverse", "needs a forward model too: heed align MODEL --reverse MODEL");
    refuse(&v.link.threshold, "--threshold", "needs a MODEL, because it applies to attention");
    refuse(&v.link.shift, "--shift", "needs a MODEL, because it applies to attention");
  }
  if (!v.model.empty() || !v.hypothesis.empty() || v.pretokenized) {
    const char* why = "applies only without a MODEL and without --pretokenized";
    refuse(&v.source_language, "--source-language", why);
    refuse(&v.target_language, "--target-language", why);
  }
  if (v.reverse.empty()) refuse(&v.symmetrize, "--symmetrize", "needs --reverse, a model for the opposite direction");
  if (v.gold.empty()) refuse(&v.gold_base, "--gold-base", "needs --gold");
  if (!is_shared(v)) return;
  check<UsageError>(!v.model.empty(),
                    "--shard-dir and --shard need a MODEL: without one, links are learned from the whole text at once");
  check<UsageError>(v.pairs.files.empty(), "--shard-dir and --shard read --source and --target, not --pairs");
  refuse(&v.gold, "--gold",
         "scores all links; score the joined ones with --hypothesis, without --shard-dir and --shard");
  refuse(&v.json, "--json", "is for all links at once; leave out --shard-dir and --shard");
}

// Prints a note if the model was not trained for --shift. Its run's config.toml says so; without one, a model whose
// attention comes before the cell cannot have been.
void note_shift(const std::string& model, const model::ModelConfig& config) {
  const std::string path = (std::filesystem::path(model::model_path(model)).parent_path() / "config.toml").string();
  bool trained = config.attention.position == model::AttentionPosition::after;
  if (trained && std::filesystem::exists(path)) {
    const std::vector<TomlEntry> entries = parse_toml(read_file(path), path);
    const auto found = std::ranges::find(entries, "training.guided_shift", &TomlEntry::key);
    trained = found != entries.end() && found->value == TomlValue(true);
  }
  if (!trained) print_note("--shift is for models trained with training.guided_shift=true, but {} was not", model);
}

// Links from the attention of a model. For pairs that take turns in a chunk, as for two whole texts.
class AttentionAligner {
 public:
  AttentionAligner(const std::string& model, const Values& v)
      : v_(v), model_(model), translator_(model), words_(translator_.pipeline().config(), v.pretokenized) {
    check<InputError>(translator_.model().config().attends(), "{} has no attention ({}), so it cannot align words",
                      model, translator_.model().config().system);
    if (v.link.shift) note_shift(model, translator_.model().config());
  }

  using Report = std::function<void(std::size_t done, std::size_t all)>;
  // Until it is stopped: then some pairs at the end are missing.
  alignment::AlignedTexts align(
      std::span<const std::string> sources, std::span<const std::string> targets, const Report& report,
      const std::function<bool()>& stopped = [] { return false; }) const {
    constexpr std::size_t kWindow = 5000;  // pairs whose attention is in memory at once
    translate::ScoreOptions options{.pretokenized = v_.pretokenized, .threads = worker_count(v_.threads)};
    alignment::AlignedTexts result;
    for (std::size_t from = 0; from < sources.size() && !stopped(); from += kWindow) {
      const std::size_t count = std::min(kWindow, sources.size() - from);
      const auto source = sources.subspan(from, count), target = targets.subspan(from, count);
      options.on_progress = [&](std::size_t done, std::size_t /*all*/) { report(from + done, sources.size()); };
      const auto scored = translator_.score(source, target, options);
      std::ranges::move(align_pairs(scored, source, target, words_, v_.link), std::back_inserter(result.links));
      result.too_long += std::ranges::count(scored, true, &translate::ScoredPair::too_long);
    }
    return result;
  }

  void note_too_long(const alignment::AlignedTexts& result) const {
    if (result.too_long > 0)
      print_note("no links for {} of {}, which are too long for {}", result.too_long,
                 counted(result.links.size(), "pair"), model_);
  }

 private:
  const Values& v_;
  std::string model_;
  translate::Translator translator_;
  alignment::LinkWords words_;
};

void add_reverse(alignment::AlignedTexts& result, const alignment::AlignedTexts& other,
                 const std::string& symmetrize_by) {
  for (std::size_t i = 0; i < result.links.size(); ++i)
    result.links[i] = symmetrize(symmetrize_by, result.links[i], flip(other.links[i]));
  result.too_long = std::max(result.too_long, other.too_long);
}

alignment::AlignedTexts align_without_model(std::span<const std::string> sources, std::span<const std::string> targets,
                                            const Values& v) {
  constexpr std::size_t kFew = 1000;  // with fewer, links mostly follow the word order
  for (const auto& [flag, language] :
       {std::pair{"--source-language", v.source_language}, std::pair{"--target-language", v.target_language}})
    if (const std::string missing = text::missing_word_rules(language); !missing.empty())
      print_note("{}: {}", flag, missing);
  const alignment::LinkWords words({.source_language = v.source_language, .target_language = v.target_language},
                                   v.pretokenized);
  alignment::AlignedTexts result = alignment::align_texts(sources, targets, *words.source, *words.target,
                                                          {worker_count(v.threads), progress_bar("aligning", "pairs")});
  if (sources.size() < kFew)
    print_note("only {} to learn from; add more text of the same kind for better links",
               counted(sources.size(), "pair"));
  if (result.too_long > 0)
    print_note("no links for {} of {}, which have more than {} words on one side", result.too_long,
               counted(sources.size(), "pair"), alignment::AlignedTexts::kMaxWords);
  return result;
}

// The languages of --pairs: the model's, or without a model those of the flags.
data::Languages pair_languages(const Values& v) {
  return v.model.empty() ? data::Languages{v.source_language, v.target_language} : model_languages(v.model);
}

alignment::AlignedTexts align(const Values& v, std::vector<alignment::Alignment>& gold) {
  const std::vector<TextFile> files =
      v.pairs.files.empty() ? std::vector{read_text(v.source, v.pairs.encoding), read_text(v.target, v.pairs.encoding)}
                            : read_pairs(v.pairs, pair_languages(v));
  check_lines(files);
  std::span<const std::string> sources = files[0].lines, targets = files[1].lines;
  if (const auto share = share_of(v.shards)) {
    const LineRange range = lines_of(*share, static_cast<std::int64_t>(sources.size()));
    const auto first = static_cast<std::size_t>(range.first), count = static_cast<std::size_t>(range.count);
    sources = sources.subspan(first, count), targets = targets.subspan(first, count);
  }
  if (!v.gold.empty()) gold = read_gold(v.gold, v.gold_base, {files[0].name, sources.size()});
  print_notes(files, v.pretokenized ? "" : "if it is, add --pretokenized");
  if (v.model.empty()) return align_without_model(sources, targets, v);
  if (!v.reverse.empty()) check_reverse(model_languages(v.model), model_languages(v.reverse), v.reverse);
  const auto with = [&](const std::string& model, std::span<const std::string> from, std::span<const std::string> to) {
    const AttentionAligner aligner(model, v);
    const auto bar = progress_bar("aligning", "pairs");
    alignment::AlignedTexts aligned = aligner.align(from, to, bar);
    bar(from.size(), from.size());
    aligner.note_too_long(aligned);
    return aligned;
  };
  alignment::AlignedTexts result = with(v.model, sources, targets);
  if (!v.reverse.empty()) add_reverse(result, with(v.reverse, targets, sources), v.symmetrize);
  return result;
}

// The work of one process among many: --shard-dir.
int run_shard(const Values& v, const Options& options) {
  const AttentionAligner aligner(v.model, v);
  std::optional<AttentionAligner> reverse;
  if (!v.reverse.empty()) {
    check_reverse(model_languages(v.model), model_languages(v.reverse), v.reverse);
    reverse.emplace(v.reverse, v);
  }
  const auto process = [&](const shards::Lines& chunk, const ShardedCommand::Advance& advance) {
    std::vector<std::string> sides[2];
    for (std::size_t i = 0; i < chunk.lines.size(); ++i) sides[i % 2].push_back(chunk.lines[i]);
    const auto report = [&](std::size_t done, std::size_t) { advance(static_cast<std::int64_t>(done)); };
    const auto stopped = [] { return interrupted() != 0; };
    alignment::AlignedTexts result = aligner.align(sides[0], sides[1], report, stopped);
    if (reverse && !stopped()) add_reverse(result, reverse->align(sides[1], sides[0], report, stopped), v.symmetrize);
    if (stopped()) return std::optional<std::string>();
    aligner.note_too_long(result);
    std::string text;
    for (const alignment::Alignment& links : result.links) text += format_alignment(links) + "\n";
    return std::optional(std::move(text));
  };
  return run_sharded(v.shards, options,
                     {.name = "align",
                      .verb = "aligning",
                      .inputs = {v.source, v.target},
                      .input_flags = {"--source", "--target"},
                      .encoding = v.pairs.encoding,
                      .process = process,
                      .output = v.out});
}

void print_score(const alignment::AlignmentScore& score, std::size_t sentences, const alignment::AlignedTexts& aligned,
                 bool json) {
  if (json) {
    print_json({{"precision", score.precision()},
                {"recall", score.recall()},
                {"aer", score.aer()},
                {"sentences", sentences},
                {"too_long", aligned.too_long},
                {"links", score.links()},
                {"sure_links", score.sure_links()},
                {"possible_links", score.possible_links()}});
    return;
  }
  write_output("precision  {:>6.2f}\nrecall     {:>6.2f}\nAER        {:>6.2f}  lower is better\n", score.precision(),
               score.recall(), score.aer());
  write_output("\n{}, scored against {} sure and {} in {}\n", counted(score.links(), "link"), score.sure_links(),
               counted(score.possible_links() - score.sure_links(), "other possible link"),
               counted(sentences, "sentence"));
}

int run(Values& v, Options& options) {
  check_flags(v, options);
  if (!v.model.empty()) note_reversed(v.source, v.target, v.model);
  if (!v.shards.directory.empty()) return run_shard(v, options);
  std::vector<alignment::Alignment> gold;
  alignment::AlignedTexts aligned;
  if (!v.hypothesis.empty()) {
    aligned.links = alignment::read_alignments(v.hypothesis, v.base);
    gold = read_gold(v.gold, v.gold_base, {v.hypothesis, aligned.links.size()});
    note_base(v.hypothesis, "--base", v.base, aligned.links);
  } else {
    aligned = align(v, gold);
  }
  std::vector<std::string> lines;
  for (const alignment::Alignment& links : aligned.links) lines.push_back(format_alignment(links));
  const std::string text = lines.empty() ? "" : fmt::format("{}\n", fmt::join(lines, "\n"));
  if (!v.out.empty()) {
    OutputFile file(v.out, false);
    file.write(text);
    file.commit();
  }
  if (v.gold.empty()) {
    if (v.json)
      print_json({{"alignments", lines}, {"too_long", aligned.too_long}});
    else if (v.out.empty())
      write_output(text);
    return 0;
  }
  print_score(score_alignments(aligned.links, gold), gold.size(), aligned, v.json);
  return 0;
}

}  // namespace align_command

const Command kAlign{.name = "align",
                     .group = "Evaluation",
                     .summary = "align words, with a model's attention or from the texts alone; score alignments",
                     .example =
                         "heed align run/model.safetensors --source pocket.test.en --target pocket.test.de \\\n"
                         "  --gold pocket.test.align\n"
                         "heed align --source pocket.train.en --target pocket.train.de --out links.txt\n"
                         "printf '0-0 1-2\\n0-1\\n' > made.txt\n"
                         "printf '0-0 1-2 2p1\\n0-0 0p1\\n' > gold.txt\n"
                         "heed align --hypothesis made.txt --gold gold.txt",
                     .make = action<align_command::Values, align_command::declare, align_command::run>};

}  // namespace heed::cli
