// heed attend: what a model attends to in one sentence, as a picture, a page, JSON or blocks in the terminal.
#include <unistd.h>

#include <filesystem>

#include "alignment/error_rate.h"
#include "attend.h"
#include "base/files.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "command.h"
#include "inspect/describe.h"
#include "translate/json.h"
#include "viz/heatmap.h"
#include "viz/raster.h"

namespace heed::cli {
namespace attend_command {

struct Values {
  std::string model, sentence, target, gold, out;
  std::vector<std::string> with;
  AttendOptions attend = {.search = {.beam = 5}, .target = {}};
  int gold_base = 0;
  bool words = false, numbers = false;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.model, "a model file");
  o.positional("SENTENCE", v.sentence, "the sentence; without it, the first line of standard input", false);
  o.flag("with", v.with, "another model, drawn beside the first; may be given again").value("MODEL");
  o.flag("out", v.out, "where to: .svg, .pdf, .png (a picture), .html (a page that plays the decoder), .json")
      .value("FILE");
  o.group("Translation");
  o.flag("target", v.target, "the translation whose attention is wanted, instead of the model's own").value("TEXT");
  o.flag("beam", v.attend.search.beam, "hypotheses kept at each step; 1 is greedy", range(1, 1000));
  o.flag("nbest", v.attend.search.nbest, "so many of the best translations, side by side", range(1, 100));
  o.group("Picture");
  o.flag("words", v.words, "words instead of the subwords that the model reads and writes");
  o.flag("numbers", v.numbers, "the weights as numbers in the cells");
  o.flag("gold", v.gold, "links of a known alignment to outline: 0-0 sure, 1p2 possible, in words").value("LINKS");
  o.flag("gold-base", v.gold_base, "what the first word is counted as in --gold", range(0, 1));
}

enum class Format { terminal, svg, png, pdf, html, json };

Format format_of(const std::string& out) {
  if (out.empty()) return Format::terminal;
  const std::string ending = std::filesystem::path(out).extension().string();
  constexpr std::pair<std::string_view, Format> kFormats[] = {{".svg", Format::svg},
                                                              {".png", Format::png},
                                                              {".pdf", Format::pdf},
                                                              {".html", Format::html},
                                                              {".json", Format::json}};
  for (const auto& [name, format] : kFormats)
    if (ending == name) return format;
  throw UsageError("--out {} does not end in .svg, .png, .pdf, .html or .json", in_quotes(out));
}

// Defaults that depend on other options, and options that contradict each other.
void settle(Values& v, const Options& options, Format format) {
  SearchOptions& s = v.attend.search;
  if (options.given(&v.target)) {
    check<UsageError>(!options.given(&s.beam) && !options.given(&s.nbest),
                      "--target gives the translation, so there is no search for --beam or --nbest");
    v.attend.target = v.target;
    s.beam = 1;
  }
  // A page lets its reader choose among what the search found.
  if (format == Format::html && !options.given(&s.nbest)) s.nbest = std::min(s.beam, 5);
  if (!options.given(&s.beam)) s.beam = std::max(s.beam, s.nbest);
  check<UsageError>(s.nbest <= s.beam, "--nbest {} needs a --beam of at least as many, not {}", s.nbest, s.beam);
  check<UsageError>(format != Format::html || (!v.words && v.gold.empty()),
                    "a page plays the model's own tokens, so --words and --gold do not go with it");
  check<UsageError>(!v.gold.empty() || !options.given(&v.gold_base), "--gold-base means nothing without --gold");
}

std::string read_sentence(const Values& v, const Options& options) {
  if (options.given(&v.sentence)) return v.sentence;
  std::string line;
  LineReader reader("-");
  check<UsageError>(reader.next(line), "no sentence: give it as an argument or on standard input");
  return line;
}

std::vector<Token> words_of(const std::string& text, const std::string& language) {
  return make_tokeniser({.kind = "words", .language = language})->tokenise(text);
}

struct Drawn {
  AttentionMatrix map;
  const AttendedSentence* sentence;
  const Translation* translation;
};

// Every model's translations, by words where that was asked for.
std::vector<Drawn> maps_of(const Values& v, const std::vector<AttendedSentence>& sentences, const std::string& text) {
  std::vector<Drawn> maps;
  for (const AttendedSentence& sentence : sentences) {
    const TextConfig& config = sentence.pipeline->config();
    for (const Translation& translation : sentence.translations) {
      const bool by = v.words || !v.gold.empty();
      maps.push_back({by ? by_words(translation.attention, words_of(text, config.source_language),
                                    words_of(translation.text, config.target_language))
                         : translation.attention,
                      &sentence, &translation});
    }
  }
  return maps;
}

// What a picture must say for itself: a linear score's stripes look like a mistake and are none.
std::string remark_on(const ModelConfig& config) {
  return config.attention.score == "linear"
             ? "the state adds the same number to every score, so this attention is the same at every step"
             : "";
}

std::vector<viz::Heatmap> heatmaps_of(const Values& v, const std::vector<Drawn>& maps) {
  std::vector<viz::GoldLink> gold;
  for (const Link& link : parse_alignment(v.gold, v.gold_base, "--gold"))
    gold.push_back({link.source, link.target, link.sure});
  std::vector<viz::Heatmap> drawn;
  for (const Drawn& one : maps) {
    viz::Heatmap& heatmap = drawn.emplace_back(heatmap_of(one.map));
    const ModelConfig& config = one.sentence->model->config();
    heatmap.subtitle = remark_on(config);
    if (!v.with.empty() && heatmap.subtitle.empty()) heatmap.subtitle = describe_attention(config);
    if (!v.with.empty()) heatmap.title = config.system;
    if (v.attend.search.nbest > 1)
      heatmap.subtitle = fmt::format("{:.3f}  {}", one.translation->score, one.translation->text);
    heatmap.gold = gold;
  }
  return drawn;
}

Json json_of(const Values& v, const std::vector<Drawn>& maps, const std::string& text) {
  Json all = Json::array();
  for (const Drawn& one : maps) {
    Json json = attention_json(one.map);
    json["text"] = text;
    json["translation"] = one.translation->text;
    json["score"] = one.translation->score;
    json["log_probability"] = one.translation->log_probability;
    json["model"] = one.sentence->path;
    json["system"] = one.sentence->model->config().system;
    all.push_back(json);
  }
  return maps.size() == 1 && v.with.empty() && v.attend.search.nbest == 1 ? all.front() : all;
}

void print(const Values& v, const std::vector<Drawn>& maps) {
  const std::vector<viz::Heatmap> heatmaps = heatmaps_of(v, maps);
  const viz::TerminalOptions options{
      .colour = viz::terminal_colour(STDOUT_FILENO), .width = terminal_width(STDOUT_FILENO, 100), .numbers = v.numbers};
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (i > 0) write_output("\n");
    if (v.attend.search.nbest == 1) write_output(maps[i].translation->text + "\n\n");
    write_output(viz::heatmap_terminal(heatmaps[i], options));
  }
}

int run(Values& v, Options& options) {
  const Format format = format_of(v.out);
  settle(v, options, format);
  const std::string text = read_sentence(v, options);
  std::vector<AttendedSentence> sentences;
  sentences.push_back(attend(v.model, text, v.attend));
  for (const std::string& path : v.with) sentences.push_back(attend(path, text, v.attend));

  if (format == Format::html) {
    viz::StepPage page{.sentence = text, .models = {}};
    for (const AttendedSentence& sentence : sentences) page.models.push_back(step_model(sentence));
    write_file_atomically(v.out, viz::step_page(page));
    return 0;
  }
  const std::vector<Drawn> maps = maps_of(v, sentences, text);
  if (format == Format::terminal) {
    print(v, maps);
  } else if (format == Format::json) {
    write_file_atomically(v.out, dump_json(json_of(v, maps, text)) + "\n");
  } else {
    const std::string svg = viz::heatmap_svg(heatmaps_of(v, maps), {.numbers = v.numbers});
    write_file_atomically(v.out, format == Format::svg   ? svg
                                 : format == Format::png ? viz::svg_to_png(svg)
                                                         : viz::svg_to_pdf(svg));
  }
  return 0;
}

}  // namespace attend_command

extern const Command kAttend;
const Command kAttend{.name = "attend",
                      .group = "Models",
                      .summary = "show what a model attends to in a sentence",
                      .example = "heed attend run/model.safetensors 'The old man sees a dog.' --out attention.svg",
                      .make = action<attend_command::Values, attend_command::declare, attend_command::run>};

}  // namespace heed::cli
