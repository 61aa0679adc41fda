// heed translate: translates text line by line, one output line per input line, and documents.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "base/files.h"
#include "base/shared_options.h"
#include "base/system.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "command.h"
#include "interrupt.h"
#include "model/model_path.h"
#include "progress.h"
#include "text_arguments.h"
#include "translate/json.h"
#include "translate/text_layer.h"
#include "translate_document.h"
#include "translate_prompt.h"

namespace heed::cli {
namespace translate_command {

struct Values {
  std::vector<std::string> models, text;
  std::string input = "-", output, prefix_file, unknown = "names", format, columns;
  bool json = false, alignment = false, stream = false;
  Encoding encoding = Encoding::detect;
  translate::TranslateOptions translate;
  translate::TextOptions layer;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.models,
               "a model file or run directory; several with the same vocabularies form an ensemble. -- ends the models")
      .reads(model::model_files)
      .leading(model::is_model);
  o.positional("FILE|TEXT", v.text,
               "a file: plain text, one sentence per line, or a document (see --format); or the text itself, one line "
               "per argument; default: standard input, on a terminal with a prompt",
               0)
      .reads(text_argument_files);
  o.group("Text");
  o.flag("input", v.input, "text to translate, one sentence per line, plain, gzip, zstd or xz; -: standard input")
      .value("FILE")
      .reads()
      .common();
  o.flag("output", v.output, "write the translations to this file instead of standard output, once all are done")
      .value("FILE")
      .writes()
      .common();
  declare_document_format(o, v.format);
  o.flag("columns", v.columns,
         "columns of a table (csv, tsv) to translate, by name or number, such as text,note or 2,3")
      .value("NAMES");
  o.flag("stream", v.stream, "write each translation as soon as it is ready; always on for input from a terminal")
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
}

// Derives settings from the options and rejects contradictions.
void settle(Values& v, const Options& options) {
  check<UsageError>(v.text.empty() || !options.is_set(&v.input), "--input {} and {} are both text; give one of them",
                    v.input, in_quotes(v.text.empty() ? "" : v.text.front()));
  resolve(v.translate.search, options);
  resolve(v.layer, options);
  v.translate.search.attention = v.json || v.alignment;
  v.translate.warnings = v.json;
}

// Standard output or a file. A file keeps what it holds until commit(), unless each line is to be seen at once
// (--stream) or it is a pipe or a device.
class Output {
 public:
  Output(const std::string& path, bool at_once) : path_(path) {
    if (path.empty()) return;
    struct stat status {};
    if (!at_once && (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
      replaced_.emplace(path);
    else if ((file_ = std::fopen(path.c_str(), "wb")) == nullptr)
      fail();
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    if (file_ != nullptr) std::fclose(file_);
  }

  void write(std::string_view text) {
    if (replaced_) return replaced_->write(text);
    if (file_ == nullptr) return write_output(text);
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
  }
  void flush() {
    if (replaced_) return;
    if (file_ == nullptr) return flush_output();
    if (std::fflush(file_) != 0) fail();
  }
  void commit() {
    if (replaced_) replaced_->commit();
  }
  bool needs_commit() const { return replaced_.has_value(); }

 private:
  [[noreturn]] void fail() const { throw InputError("cannot write '{}': {}", path_, system_message(errno)); }

  std::string path_;
  std::optional<AtomicFile> replaced_;
  std::FILE* file_ = nullptr;
};

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
         v.prefix_file.empty() && !v.json && !v.alignment && !v.stream;
}

class Job {
 public:
  Job(const Values& values, translate::Translator& translator)
      : v_(values),
        options_(values.translate),
        translator_(translator),
        layer_(translator, values.layer),
        reader_(source_of(values)) {
    if (!v_.prefix_file.empty()) prefixes_.emplace(v_.prefix_file, v_.encoding);
    stream_ = v_.stream || reads_terminal(v_);
    output_.emplace(v_.output, stream_);  // after all inputs: if one cannot be read, the file stays as it was
    options_.on_progress = [this](std::size_t done, std::size_t all) {
      if (progress_)
        progress_->update(0, tokens_ + static_cast<std::int64_t>(done), fmt::format("{} lines", lines_done_));
      if (done == all) tokens_ += static_cast<std::int64_t>(all);
      return interrupted() == 0;
    };
    if (!stream_ && !(v_.output.empty() && is_terminal(STDOUT_FILENO))) progress_.emplace("translating", 0, "tokens");
  }

  int run() {
    watch_interrupts();
    while (read_block()) {
      if (lines_done_ == 0 && !reader_.note().empty()) note(reader_.note());
      const std::vector<translate::LineResult> results =
          layer_.translate(translate::requests_for(lines_, prefix_lines_), options_);
      for (std::size_t i = 0; i < lines_.size() && results[i].done(); ++i, ++lines_done_) write(lines_[i], results[i]);
      output_->flush();
      if (interrupted() != 0) return stop();
    }
    check_prefixes_end();
    output_->commit();
    if (progress_) progress_->finish();
    return 0;
  }

 private:
  // Reads enough lines to sort into batches of similar length, but not so many that memory grows; with --stream only
  // lines that are already available. False at the end of the input.
  bool read_block() {
    constexpr std::size_t kBytes = 4 << 20;
    const ExitOnInterrupt exit_while_reading;
    const std::size_t most = 50 * static_cast<std::size_t>(options_.batch);
    lines_.clear();
    prefix_lines_.clear();
    std::size_t bytes = 0;
    for (std::string line; lines_.size() < most && bytes < kBytes;) {
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
    return interrupted_exit_code();
  }

  void check_prefixes_end() {
    std::string line;
    check<InputError>(!prefixes_ || !prefixes_->next(line), "{} has more lines than the {} of {}",
                      prefixes_ ? prefixes_->name() : "", reader_.line_number(), reader_.name());
  }

  void write(const std::string& line, const translate::LineResult& result) {
    if (result.too_long)
      note(fmt::format("line {} is longer than {} tokens; translated in {} chunks", lines_done_ + 1,
                       translator_.max_source_tokens(options_), result.chunks.size()));
    if (!bad_utf8_ && !is_valid_utf8(line)) {
      bad_utf8_ = true;
      note(fmt::format("line {} is not valid {}; invalid bytes are read as U+FFFD, here and later", lines_done_ + 1,
                       encoding_title(reader_.encoding())));
    }
    if (v_.json) return output_->write(dump_json(json_of(line, result)) + "\n");
    if (options_.search.nbest == 1) {
      output_->write(result.best().text + links(line, result, 0) + "\n");
      return;
    }
    // Always --nbest lines: if there are fewer translations, the last one is repeated.
    for (std::size_t k = 0; k < static_cast<std::size_t>(options_.search.nbest); ++k) {
      const std::size_t index = std::min(k, result.translations.size() - 1);
      const translate::Translation& translation = result.translations[index];
      output_->write(fmt::format("{} ||| {} ||| {:.6f}{}\n", lines_done_, translation.text, translation.score,
                                 links(line, result, index)));
    }
  }

  // What --alignment appends.
  std::string links(const std::string& line, const translate::LineResult& result, std::size_t translation) const {
    return v_.alignment ? " ||| " + format_alignment(word_links(line, result, translation)) : "";
  }

  Json json_of(const std::string& line, const translate::LineResult& result) const {
    Json json = to_json(line, result);
    if (v_.alignment) json["alignment"] = format_alignment(word_links(line, result, 0));
    return json;
  }

  void note(const std::string& message) {
    if (progress_) progress_->clear();
    print_note("{}", message);
  }

  const Values& v_;
  translate::TranslateOptions options_;
  translate::Translator& translator_;
  translate::TextLayer layer_;
  LineSource reader_;
  std::optional<LineReader> prefixes_;
  std::optional<Output> output_;
  std::optional<Progress> progress_;
  std::vector<std::string> lines_, prefix_lines_;
  std::int64_t lines_done_ = 0, tokens_ = 0;
  bool stream_ = false, bad_utf8_ = false;
};

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
                                                    {v.layer.plain, "--plain"}};
  for (const auto& [given, flag] : for_lines)
    check<UsageError>(!given, "{} is for text, but the input is a document ({}); leave it out, or add --format text",
                      flag, format.name);
  check<UsageError>(v.text.size() <= 1 && (v.text.empty() || !text_argument_files(v.text.front()).empty()),
                    "--format {} needs a file or standard input, but {} is not a file", format.name,
                    in_quotes(v.text.empty() ? "" : v.text.front()));
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
  Output output(v.output, false);
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
  const document::DocumentFormat* format =
      choose_document_format(v.format, v.text.size() == 1 ? &v.text.front() : nullptr);
  if (format != nullptr) check_document_options(v, *format);
  check<UsageError>(v.columns.empty() || (format != nullptr && (format->name == "csv" || format->name == "tsv")),
                    "--columns {} is for tables; give a file that ends in .csv or .tsv, or add --format csv",
                    v.columns);
  v.translate.unknown = translate::UnknownWords::parse(v.unknown);
  v.layer.copy_names = v.unknown == "names";
  check<UsageError>(
      !v.text.empty() || v.models.front().find(' ') == std::string::npos || std::filesystem::exists(v.models.front()),
      "there is no model {}; give a model file or a run directory first: heed translate MODEL TEXT",
      in_quotes(v.models.front()));
  translate::Translator translator(v.models);
  const std::pair<bool, const char*> needs_attention[] = {{v.alignment, "--alignment"},
                                                          {v.translate.unknown.replace, "--unknown"},
                                                          {v.translate.search.coverage > 0, "--coverage"}};
  for (const auto& [wanted, flag] : needs_attention)
    check<UsageError>(!wanted || translator.has_attention(), "{} needs attention, but {} has none", flag,
                      v.models.front());
  load_glossary(v.layer, translator.pipeline().config());
  if (format != nullptr) return run_document(v, *format, translator);
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
