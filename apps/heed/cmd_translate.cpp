// heed translate: translates text line by line, one output line per input line, and documents.
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "base/files.h"
#include "base/numbers.h"
#include "base/shared_options.h"
#include "base/system.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "command.h"
#include "interrupt.h"
#include "model/model_path.h"
#include "output_file.h"
#include "progress.h"
#include "scored_files.h"
#include "sharding.h"
#include "text_arguments.h"
#include "translate/text_layer.h"
#include "translate_document.h"
#include "translate_lines.h"
#include "translate_prompt.h"

namespace heed::cli {
namespace translate_command {

struct Values {
  std::vector<std::string> models, text;
  std::string input = "-", output, prefix_file, unknown = "names", format, columns, reverse, shortlist;
  bool json = false, alignment = false, stream = false;
  Encoding encoding = Encoding::detect;
  translate::TranslateOptions translate;
  translate::TextOptions layer;
  ShardFlags shards;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.models,
               "a model file or run directory; several with the same vocabularies form an ensemble; -- ends their list")
      .reads(model::model_files)
      .leading(model::is_model);
  o.positional("FILE|TEXT", v.text,
               "a file: plain text, one sentence or paragraph per line, or a document (see --format); or the text "
               "itself, one line per argument; default: standard input, on a terminal with a prompt",
               0)
      .reads(text_argument_files);
  o.group("Text");
  o.flag("input", v.input,
         "the file to translate (same as the argument FILE), plain or compressed with gzip, zstd or xz; - is standard "
         "input")
      .value("FILE")
      .reads()
      .common();
  o.flag("output", v.output,
         "write the translations to this file instead of standard output, once all are done; compressed if it ends in "
         ".gz, .zst or .xz")
      .value("FILE")
      .writes()
      .common();
  declare_document_format(o, v.format);
  o.flag("columns", v.columns,
         "columns of a table (csv, tsv) to translate, by name or number, such as text,note or 2,3")
      .value("NAMES");
  o.flag("reverse", v.reverse,
         "a model for the opposite direction, used to place the inline markup of a document more accurately")
      .value("MODEL")
      .reads(model::model_files);
  o.flag("stream", v.stream, "write each translation as soon as it is ready; always on for input from a terminal")
      .may_change()
      .common();
  o.flag("alignment", v.alignment, "append word links from attention: ` ||| 0-0 1-2`").common();
  declare_json(o, v.json, "one JSON object per line: tokens, spans, scores, attention, warnings").common();
  o.flag("unknown", v.unknown,
         "unknown words: keep the symbol, copy only names and numbers (word-level models; keep with --plain), copy the "
         "source word, or use a dictionary file")
      .value("keep|names|copy|FILE")
      .reads(translate::UnknownWords::files);
  o.flag("prefix-file", v.prefix_file, "how each translation must begin, one prefix per line").value("FILE").reads();
  declare_encoding(o, v.encoding);
  declare(o, v.layer);
  declare(o, v.translate);
  translate::declare_shortlist(o, v.shortlist, "on if the model has a shortlist, off with --plain");
  declare(o, v.shards, "translation");
}

// Whether the text was typed for this translation, rather than read from a file or another program.
bool is_typed(const Values& v) {
  const bool is_file = v.text.size() == 1 && !text_argument_files(v.text.front()).empty();
  return v.text.empty() ? v.input == "-" && is_terminal(STDIN_FILENO) : !is_file;
}

// Derives settings from the options and rejects contradictions.
void settle(Values& v, const Options& options) {
  check<UsageError>(v.text.empty() || !options.is_set(&v.input),
                    "--input {} and {} are both text; give only one of them", v.input,
                    in_quotes(v.text.empty() ? "" : v.text.front()));
  resolve(v.translate.search, options);
  resolve(v.layer, options);
  check_shard_flags(v.shards, options);
  v.translate.search.attention = v.json || v.alignment;
  v.translate.search.shortlist = translate::wants_shortlist(v.shortlist, !v.layer.plain);
  v.translate.warnings = v.json || (is_typed(v) && is_terminal(STDERR_FILENO));
}

// The file whose ending determines the format; null if there is none. Many processes share lines, so with --shard-dir
// and --shard, --input is always text.
const std::string* document_path(const Values& v) {
  if (!v.text.empty()) return v.text.size() == 1 ? &v.text.front() : nullptr;
  return v.shards.directory.empty() && v.shards.share.empty() ? &v.input : nullptr;
}

LineSource source_of(const Values& v) {
  // With --format text, the lines of any file are text.
  if (v.format == "text" && v.text.size() == 1 && !text_argument_files(v.text.front()).empty())
    return {v.text.front(), v.encoding};
  return v.text.empty() ? LineSource(v.input, v.encoding) : LineSource(std::span(v.text), v.encoding);
}

bool reads_terminal(const Values& v) {
  return v.text.empty() && v.input == "-" && is_terminal(STDIN_FILENO);
}

// Whether someone is typing, and reads plain translations.
bool wants_prompt(const Values& v) {
  return reads_terminal(v) && v.format.empty() && is_terminal(STDOUT_FILENO) && v.output.empty() &&
         v.prefix_file.empty() && !v.json && !v.alignment && !v.stream && v.shards.share.empty();
}

LineFormat format_of(const Values& v, Encoding encoding) {
  return {.json = v.json, .alignment = v.alignment, .encoding = encoding};
}

class Job {
 public:
  Job(const Values& values, translate::Translator& translator)
      : v_(values),
        translation_(translator, values.layer, with_progress(values.translate)),
        reader_(source_of(values)) {
    if (!v_.prefix_file.empty()) prefixes_.emplace(v_.prefix_file, v_.encoding);
    if (const auto share = share_of(v_.shards)) skip_to(*share);
    stream_ = v_.stream || reads_terminal(v_);
    output_.emplace(v_.output, stream_);  // after all inputs: if one cannot be read, the file stays as it was
    if (!stream_ && !(v_.output.empty() && is_terminal(STDOUT_FILENO))) progress_.emplace("translating", 0, "tokens");
  }

  int run() {
    watch_interrupts();
    const auto write = [this](const std::string& text) { output_->write(text); };
    const auto say_note = [this](const std::string& sentence) { note(sentence); };
    for (bool first = true; read_block(); first = false) {
      if (first && !reader_.note().empty()) note(reader_.note());
      LineFormat format = format_of(v_, reader_.encoding());
      if (!v_.json && is_typed(v_) && is_terminal(STDERR_FILENO)) format.unknown_words = &unknown_;
      lines_done_ +=
          static_cast<std::int64_t>(translation_.run(lines_, prefix_lines_, lines_done_, format, write, say_note));
      output_->flush();
      if (interrupted() != 0) return stop();
    }
    if (!end_) check_prefixes_end();
    output_->commit();
    if (!unknown_.empty()) note(unknown_note(unknown_));
    if (progress_) progress_->finish();
    return 0;
  }

 private:
  translate::TranslateOptions with_progress(translate::TranslateOptions options) {
    options.on_progress = [this](std::size_t done, std::size_t all) {
      if (progress_)
        progress_->update(0, tokens_ + static_cast<std::int64_t>(done), fmt::format("{} lines", lines_done_));
      if (done == all) tokens_ += static_cast<std::int64_t>(all);
      return interrupted() == 0;
    };
    return options;
  }

  // Skips to the first line of the share.
  void skip_to(const shards::Share& share) {
    const LineRange range = lines_of(share, v_.text.empty() ? v_.input : v_.text.front(), v_.encoding);
    std::string line;
    for (; lines_done_ < range.first && reader_.next(line); ++lines_done_)
      if (prefixes_) prefixes_->next(line);
    end_ = range.first + range.count;
  }

  // With --stream only lines that are already available. False at the end of the input.
  bool read_block() {
    const ExitOnInterrupt exit_while_reading;
    std::size_t most = LineTranslation::block_lines(translation_.options());
    if (end_) most = std::min(most, static_cast<std::size_t>(*end_ - lines_done_));
    lines_.clear();
    prefix_lines_.clear();
    std::size_t bytes = 0;
    for (std::string line; lines_.size() < most && bytes < LineTranslation::kBlockBytes;) {
      if (stream_ && !lines_.empty() && !reader_.has_line()) break;
      if (!reader_.next(line)) break;
      bytes += line.size();
      lines_.push_back(std::move(line));
      if (!prefixes_) continue;
      check<InputError>(prefixes_->next(line),
                        "{} ends after line {}, but {} has more lines; there must be one prefix per line",
                        prefixes_->name(), prefixes_->line_number(), reader_.name());
      prefix_lines_.push_back(std::move(line));
    }
    return !lines_.empty();
  }

  int stop() {
    if (output_->needs_commit())
      note(fmt::format("interrupted after line {}; {} is unchanged (--stream would write each line at once)",
                       lines_done_, v_.output));
    else
      output_->commit();
    return interrupted_exit_code();
  }

  void check_prefixes_end() {
    std::string line;
    check<InputError>(!prefixes_ || !prefixes_->next(line),
                      "--prefix-file {} has more lines than {}, which has {}; give one prefix per line of the text",
                      in_quotes(prefixes_ ? prefixes_->name() : ""), reader_.name(), reader_.line_number());
  }

  void note(const std::string& message) {
    if (progress_) progress_->clear();
    print_note("{}", message);
  }

  const Values& v_;
  LineTranslation translation_;
  LineSource reader_;
  std::optional<LineReader> prefixes_;
  std::optional<OutputFile> output_;
  std::optional<Progress> progress_;
  std::vector<std::string> lines_, prefix_lines_, unknown_;
  std::int64_t lines_done_ = 0, tokens_ = 0;
  std::optional<std::int64_t> end_;  // of the share
  bool stream_ = false;
};

// The work of one process among many: --shard-dir.
int run_shard(const Values& v, const Options& options, translate::Translator& translator) {
  check<UsageError>(v.text.size() <= 1, "--shard-dir needs one file to translate, but {} texts were given",
                    v.text.size());
  std::size_t block = 0, done = 0;  // lines of the block, and of the chunk before it
  const ShardedCommand::Advance* advance = nullptr;
  translate::TranslateOptions translate = v.translate;
  translate.on_progress = [&](std::size_t tokens, std::size_t all) {
    if (all > 0) (*advance)(static_cast<std::int64_t>(done + block * tokens / all));
    return interrupted() == 0;
  };
  LineTranslation translation(translator, v.layer, translate);
  ShardedCommand command{.name = "translate",
                         .verb = "translating",
                         .inputs = {v.text.empty() ? v.input : v.text.front()},
                         .input_flags = {"--input", "FILE|TEXT", "--prefix-file"},
                         .encoding = v.encoding,
                         .process = {},
                         .output = v.output};
  if (!v.prefix_file.empty()) command.inputs.push_back(v.prefix_file);
  command.process = [&](const shards::Lines& chunk, const ShardedCommand::Advance& report) {
    advance = &report;
    std::string text;
    std::vector<std::string> lines, prefixes;
    for (std::size_t i = 0; i < chunk.lines.size(); ++i)
      (command.inputs.size() == 1 || i % 2 == 0 ? lines : prefixes).push_back(chunk.lines[i]);
    for (done = 0; done < lines.size(); done += block) {
      block = std::min(LineTranslation::block_lines(translate), lines.size() - done);
      const std::size_t made = translation.run(
          std::span(lines).subspan(done, block),
          prefixes.empty() ? std::span(prefixes) : std::span(prefixes).subspan(done, block),
          chunk.first + static_cast<std::int64_t>(done), format_of(v, Encoding::utf8),
          [&](const std::string& line) { text += line; },
          [](const std::string& sentence) { print_note("{}", sentence); });
      if (made < block) return std::optional<std::string>();
    }
    return std::optional(std::move(text));
  };
  return run_sharded(v.shards, options, command);
}

std::vector<std::string> split_columns(const std::string& names) {
  std::vector<std::string> columns;
  for (std::size_t at = 0, end = 0; at < names.size(); at = end + 1) {
    end = std::min(names.find(',', at), names.size());
    if (end > at) columns.push_back(names.substr(at, end - at));
  }
  return columns;
}

// Documents are translated as a whole, so what writes or reads line by line has no meaning for them.
void check_document_options(const Values& v, const document::DocumentFormat& format) {
  const std::pair<bool, const char*> for_lines[] = {{v.json, "--json"},
                                                    {v.alignment, "--alignment"},
                                                    {v.stream, "--stream"},
                                                    {!v.prefix_file.empty(), "--prefix-file"},
                                                    {v.translate.search.nbest > 1, "--nbest"},
                                                    {v.layer.plain, "--plain"},
                                                    {!v.shards.directory.empty(), "--shard-dir"},
                                                    {!v.shards.share.empty(), "--shard"}};
  for (const auto& [given, flag] : for_lines)
    check<UsageError>(!given, "{} is for text, but the input is a document ({}); leave it out, or add --format text",
                      flag, format.name);
  check<UsageError>(v.text.size() <= 1 && (v.text.empty() || !text_argument_files(v.text.front()).empty()),
                    "--format {} needs a file or standard input, but {} is not a file", format.name,
                    in_quotes(v.text.empty() ? "" : v.text.front()));
}

// The model of --reverse, if there is one.
std::unique_ptr<const translate::Translator> load_reverse(const std::string& path,
                                                          const translate::Translator& translator) {
  if (path.empty()) return nullptr;
  auto reverse = std::make_unique<const translate::Translator>(path);
  check<UsageError>(reverse->has_attention(), "--reverse needs a model with attention, but {} has none",
                    in_quotes(path));
  check_reverse(model_languages(translator), model_languages(*reverse), path);
  return reverse;
}

int run_document(const Values& v, const document::DocumentFormat& format, translate::Translator& translator) {
  translate::TextLayer layer(translator, v.layer);
  const text::TextConfig& text = translator.pipeline().config();
  const std::string& path = v.text.empty() ? v.input : v.text.front();
  const DocumentJob job{.format = format,
                        .path = path,
                        .encoding = v.encoding,
                        .document = {.source_language = text.source_language,
                                     .target_language = text.target_language,
                                     .columns = split_columns(v.columns)},
                        .translate = v.translate,
                        .shows_progress = !(v.output.empty() && is_terminal(STDOUT_FILENO))};
  if (path != "-") ByteSource(path, v.encoding);  // if it cannot be read, the output stays as it was
  OutputFile output(v.output, false);
  watch_interrupts();
  if (!translate_document(layer, job, [&](std::string_view bytes) { output.write(bytes); })) {
    if (output.needs_commit()) print_note("interrupted; {} is unchanged", v.output);
    return interrupted_exit_code();
  }
  output.flush();
  output.commit();
  return 0;
}

int run(Values& v, Options& options) {
  settle(v, options);
  const document::DocumentFormat* format = choose_document_format(v.format, document_path(v));
  if (format != nullptr)
    check_document_options(v, *format);
  else if (v.format.empty())
    check_has_lines(v.input);
  check<UsageError>(v.columns.empty() || (format != nullptr && (format->name == "csv" || format->name == "tsv")),
                    "--columns {} is for tables; give a file that ends in .csv or .tsv, or add --format csv",
                    v.columns);
  v.translate.unknown = translate::UnknownWords::parse(v.unknown);
  v.layer.copy_names = v.unknown == "names";
  check<UsageError>(
      looks_like_file(v.models.front()) || std::filesystem::exists(v.models.front()),
      "there is no model {}; the model, a file or a run directory, comes first: heed translate MODEL TEXT",
      in_quotes(v.models.front()));
  check<UsageError>(
      v.reverse.empty() || format != nullptr,
      "--reverse {} is only used to place the inline markup of documents, but the input is text; leave it out, or name "
      "the format, for example --format html",
      v.reverse);
  translate::Translator translator(v.models);
  translate::check_shortlist(v.shortlist, translator.has_shortlist(), v.models.front());
  const std::pair<bool, const char*> needs_attention[] = {{v.alignment, "--alignment"},
                                                          {v.translate.unknown.replace, "--unknown"},
                                                          {v.translate.search.coverage > 0, "--coverage"}};
  for (const auto& [wanted, flag] : needs_attention)
    check<UsageError>(!wanted || translator.has_attention(), "{} needs attention, but {} has none", flag,
                      v.models.front());
  load_glossary(v.layer, translator.pipeline().languages());
  if (const auto& glossary = v.layer.glossary; glossary && glossary->size() == 0)
    print_note("{}: the glossary has no terms", v.layer.glossary_file);
  else if (glossary && !glossary->translates())
    print_note(
        "{}: {}; separate term and translation by a tab", v.layer.glossary_file,
        glossary->size() == 1
            ? "the only term has no translation, so it is kept as written"
            : fmt::format("none of the {} terms has a translation, so they are kept as written", glossary->size()));
  const std::unique_ptr<const translate::Translator> reverse = load_reverse(v.reverse, translator);
  v.layer.reverse = reverse.get();
  if (format != nullptr) return run_document(v, *format, translator);
  if (!v.shards.directory.empty()) return run_shard(v, options, translator);
  return wants_prompt(v) ? run_translate_prompt(translator, v.layer, v.translate) : Job(v, translator).run();
}

}  // namespace translate_command

const Command kTranslate{.name = "translate",
                         .group = "Models",
                         .summary = "translate text, one output line per input line, or a document",
                         .example =
                             "heed translate run 'The old man sees a dog.'\n"
                             "heed translate run pocket.test.en -o translated.de\n"
                             "heed translate run page.html -o page.de.html\n"
                             "echo 'The old man sees a dog.' | heed translate run/model.safetensors --json",
                         .make = action<translate_command::Values, translate_command::declare, translate_command::run>};

}  // namespace heed::cli
