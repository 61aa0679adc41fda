#include "text_arguments.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/utf8.h"
#include "data/corpus.h"
#include "model/model_path.h"

namespace heed::cli {

namespace fs = std::filesystem;

namespace {

// Formats that are more than lines of text.
constexpr std::string_view kDocuments[] = {".html",  ".htm",  ".xhtml", ".xml",  ".md",  ".markdown",   ".docx",
                                           ".odt",   ".pptx", ".xlsx",  ".pdf",  ".rtf", ".tex",        ".epub",
                                           ".srt",   ".vtt",  ".po",    ".xlf",  ".tmx", ".xliff",      ".json",
                                           ".jsonl", ".csv",  ".tsv",   ".toml", ".zip", ".safetensors"};
// Of these, those whose lines are not text.
constexpr std::string_view kBinaries[] = {".docx", ".odt", ".pptx", ".xlsx", ".pdf", ".epub", ".zip", ".safetensors"};
constexpr std::string_view kTexts[] = {".txt", ".text", ".log"};
constexpr std::string_view kCompressed[] = {".gz", ".xz", ".zst", ".bz2"};

bool contains(std::span<const std::string_view> endings, std::string_view ending) {
  return std::ranges::find(endings, ending) != endings.end();
}

// In lower case and without the ending of a compressed file: ".txt" of "a.TXT.gz".
std::string ending_of(const std::string& name) {
  const auto lower = [](std::string text) {
    for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    return text;
  };
  const fs::path path(name);
  const std::string ending = lower(path.extension().string());
  return contains(kCompressed, ending) && path.stem().has_extension() ? lower(path.stem().extension().string())
                                                                      : ending;
}

// Whether there is something to read; a directory of that name may well be meant as a word.
bool is_file(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return path == "-" || (fs::exists(status) && !fs::is_directory(status));
}

// For a file that is not plain text: says what it is, and how to get a text from it that heed can translate.
std::string way_to_text(const std::string& path) {
  const std::string ending = ending_of(path);
  const std::string_view lines =
      contains(kBinaries, ending) ? "" : ", or translate its lines as they are with --format text";
  if (ending == ".tsv") return fmt::format("is a table; write a column of it to a text file with `cut -f1`{}", lines);
  if (data::looks_like_corpus(path))
    return fmt::format(
        "is a {}; write its pairs to a TSV file with `heed data FILE --clean NAME.tsv`, and one side of them to a text "
        "file with `cut -f1 NAME.tsv`{}",
        ending == ".csv" ? "table" : "corpus", lines);
  if (ending == ".pdf") return "is a PDF, which heed cannot read; save it as docx, odt, HTML or plain text";
  if (ending == ".zip") return "is an archive; unpack it, and translate its texts one by one";
  return fmt::format("has a format that heed translate cannot read; save it as docx, odt, HTML or plain text{}", lines);
}

// Whether the first lines all have the same number of tabs: then they are the rows of a table.
bool looks_like_table(const std::string& path, Encoding encoding) {
  constexpr int kLines = 20;
  LineReader reader(path, encoding);
  std::ptrdiff_t tabs = 0;
  std::string line;
  for (int i = 0; i < kLines && reader.next(line); ++i) {
    const std::ptrdiff_t count = std::ranges::count(line, '\t');
    if (count == 0 || (tabs != 0 && count != tabs)) return false;
    tabs = count;
  }
  return tabs != 0;
}

void add_lines(std::string_view text, std::vector<std::string>& lines) {
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == text.npos || end + 1 == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

bool looks_like_file(const std::string& argument) {
  if (argument.empty() || argument.find_first_of(" \t\r\n") != argument.npos) return false;
  const std::string ending = ending_of(argument);
  // Parallel text is often named after its language: test.de.
  const bool language =
      ending.size() == 3 && std::ranges::all_of(ending.substr(1), [](char c) { return c >= 'a' && c <= 'z'; });
  return argument.find('/') != argument.npos || language || contains(kDocuments, ending) || contains(kTexts, ending) ||
         contains(kCompressed, ending);
}

void refuse_model(const std::string& path, std::string_view advice) {
  check<UsageError>(!is_file(path) || !model::is_model(path), "{} is a model, not text; {}", in_quotes(path), advice);
}

void check_has_lines(const std::string& path) {
  check<InputError>(!contains(kBinaries, ending_of(path)) || !is_file(path), "{} {}", in_quotes(path),
                    way_to_text(path));
}

std::vector<std::string> text_argument_files(const std::string& argument) {
  // Not "-": --input already declares that standard input is read.
  return is_file(argument) && argument != "-" ? std::vector{argument} : std::vector<std::string>{};
}

LineSource::LineSource(std::span<const std::string> arguments, Encoding encoding) {
  const bool is_single = arguments.size() == 1 && is_file(arguments.front());
  if (is_single) {
    const std::string& path = arguments.front();
    check<InputError>(!contains(kDocuments, ending_of(path)), "{} {}", in_quotes(path), way_to_text(path));
    check<InputError>(
        path == "-" || !fs::is_regular_file(path) || !looks_like_table(path, encoding),
        "{} is a table: its lines have tabs; add --format tsv, and --columns to choose the columns to translate, or "
        "--format text to translate the lines as they are",
        in_quotes(path));
    reader_.emplace(path, encoding);
    name_ = reader_->name();
    return;
  }
  for (const std::string& argument : arguments) {
    if (looks_like_file(argument)) {
      check<UsageError>(std::ranges::count_if(arguments, is_file) < 2,
                        "several files were given, but heed translate takes one; run it once per file");
      check<UsageError>(!is_file(argument), "{} is a file, but text was given too; give either one file or text",
                        in_quotes(argument));
      throw InputError("there is no file {}; if it is text to translate, pass it on standard input",
                       in_quotes(argument));
    }
    add_lines(argument, lines_);
  }
}

bool LineSource::next(std::string& line) {
  if (reader_) return reader_->next(line);
  if (next_ == lines_.size()) return false;
  line = lines_[next_++];
  return true;
}

}  // namespace heed::cli
