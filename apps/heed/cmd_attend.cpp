// heed attend: what a model attends to in one sentence, as a picture, a page, JSON or text in the terminal.
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "command.h"
#include "inspect/attend_views.h"
#include "model/model_path.h"
#include "text/protected_spans.h"
#include "text/sentences.h"
#include "text_arguments.h"
#include "translate/protected_sentence.h"
#include "translate/sentence_case.h"
#include "viz/raster.h"

namespace heed::cli {
namespace attend_command {

struct Values {
  std::string model, sentence, out;
  std::vector<std::string> with;
  inspect::AttendOptions attend;
  int line = 1;
  bool numbers = false;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.model, "a model file or run directory").reads(model::model_files);
  o.positional("SENTENCE", v.sentence, "the sentence; default: a line of standard input, see --line", false);
  o.flag("line", v.line, "which line of standard input, and of the file of --gold, to show, counted from 1",
         at_least(1));
  o.flag("with", v.with, "another model, drawn next to the first").value("MODEL").reads(model::model_files);
  o.flag("out", v.out,
         "output file: .svg, .pdf, .png (a picture), .html (a page that replays the decoder step by step) or .json")
      .value("FILE")
      .writes();
  heed::inspect::declare(o, v.attend);
  o.flag("numbers", v.numbers, "write the weights into the cells");
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

// Reads up to --line of the file of --gold, which then contains its links.
void read_gold(Values& v) {
  LineReader reader(v.attend.gold);
  std::string line;
  while (reader.line_number() < v.line)
    check<InputError>(reader.next(line), "--gold {} has only {}, but --line is {}", in_quotes(v.attend.gold),
                      counted(reader.line_number(), "line"), v.line);
  v.attend.gold = line;
}

// The sentence as the model reads it in heed translate.
std::string model_text(const std::string& sentence, const translate::TextPipeline& pipeline) {
  const translate::SentenceCase letter_case = find_case(sentence, pipeline);
  const std::string text =
      letter_case == translate::SentenceCase::normal ? sentence : recase(sentence, letter_case, pipeline);
  const auto spans = text::find_protected_spans(text::decode_utf8(sentence));
  return spans.empty() ? text : translate::ProtectedSentence(text, spans, translate::SpanPolicy(pipeline)).model_text();
}

// What heed translate would do with the text, but heed attend does not.
void note_differences(const inspect::AttendedSentence& seen) {
  if (seen.options.forced) return;
  const translate::TextPipeline& pipeline = seen.models.front().translator->pipeline();
  const std::size_t count = text::SentenceSplitter(pipeline.languages().source).split(seen.text).size();
  if (count > 1)
    print_note("the text looks like {} sentences; heed attend shows it as one, and heed translate splits it", count);
  else if (const std::string text = model_text(seen.text, pipeline); text != seen.text)
    print_note("heed translate passes {} to the model; heed attend passes the sentence as it is", in_quotes(text));
}

std::string read_sentence(const Values& v, const Options& options, bool gold_file) {
  check<UsageError>(!options.is_set(&v.attend.gold) || !v.attend.gold.empty(),
                    "--gold is empty; give links such as '0-0 1-2', or a file with a line of them per sentence");
  check<UsageError>(!options.is_set(&v.sentence) || !options.is_set(&v.line) || gold_file,
                    "--line chooses a line of standard input, but the sentence is an argument; leave out one of them");
  if (options.is_set(&v.sentence)) {
    check<UsageError>(text_argument_files(v.sentence).empty(),
                      "{0} is a file, but heed attend shows one sentence; give it a line of the file: {1} attend {2} "
                      "--line 1 < {3}",
                      in_quotes(v.sentence), program_name(), quote_word(v.model), quote_word(v.sentence));
    return v.sentence;
  }
  std::string line, rest;
  LineReader reader("-");
  check<UsageError>(reader.next(line), "no sentence: give it as an argument or on standard input");
  while (reader.line_number() < v.line)
    check<UsageError>(reader.next(line), "--line {}: standard input has only {}", v.line,
                      counted(reader.line_number(), "line"));
  if (!options.is_set(&v.line) && reader.has_line() && reader.next(rest))
    print_note("standard input has more than one line; this is the first; --line N shows another");
  return line;
}

void print(const inspect::AttendedSentence& seen, bool numbers) {
  const viz::TerminalOptions options{
      .color = viz::terminal_color(STDOUT_FILENO), .width = terminal_width(STDOUT_FILENO, 100), .numbers = numbers};
  std::string text;
  for (const inspect::AttendedModel& model : seen.models) {
    for (std::size_t i = 0; i < model.line.translations.size(); ++i) {
      if (seen.options.translate.search.nbest == 1)
        text += printable(model.line.translations[i].text, std::string::npos) + "\n\n";
      for (const viz::Heatmap& map : heatmaps(seen, model, i)) text += viz::heatmap_terminal(map, options) + "\n";
    }
  }
  text.pop_back();  // the empty line after the last map
  write_output(text);
}

std::string file_content(const inspect::AttendedSentence& seen, Format format, bool numbers) {
  if (format == Format::html) return step_page(seen);
  if (format == Format::json) return dump_json(to_json(seen)) + "\n";
  const std::string svg = viz::heatmap_svg(heatmaps(seen), numbers);
  if (format == Format::png) return viz::svg_to_png(svg);
  return format == Format::pdf ? viz::svg_to_pdf(svg) : svg;
}

int run(Values& v, Options& options) {
  const Format format = format_of(v.out);
  resolve(v.attend, options, format == Format::html);
  std::vector<std::string> paths{v.model};
  paths.insert(paths.end(), v.with.begin(), v.with.end());
  const bool gold_file = !text_argument_files(v.attend.gold).empty();
  check<UsageError>(
      gold_file || v.attend.gold.find_first_not_of("0123456789-p \t") == std::string::npos,
      "--gold {} is neither a file nor links; give links such as '0-0 1p2' (1p2: possible), or a file with "
      "a line of them per sentence",
      in_quotes(v.attend.gold));
  model::model_path(v.model);  // InputError if there is no model, before a sentence is missed
  const std::string sentence = read_sentence(v, options, gold_file);
  if (gold_file) read_gold(v);
  const inspect::AttendedSentence seen = attend(paths, sentence, v.attend);
  note_differences(seen);
  if (format == Format::terminal)
    print(seen, v.numbers);
  else
    write_file_atomically(v.out, file_content(seen, format, v.numbers));
  if (format != Format::terminal) say("heed: wrote {}\n", v.out);
  return 0;
}

}  // namespace attend_command

const Command kAttend{.name = "attend",
                      .group = "Models",
                      .summary = "show what a model attends to in a sentence",
                      .example = "heed attend run/model.safetensors 'The old man sees a dog.' --out attention.svg",
                      .make = action<attend_command::Values, attend_command::declare, attend_command::run>};

}  // namespace heed::cli
