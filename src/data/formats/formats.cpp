#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "data/formats/format.h"
#include "text/languages.h"

namespace heed::data {

namespace {

constexpr std::string_view kTsv[] = {".tsv", ".tab"}, kCsv[] = {".csv"}, kTmx[] = {".tmx"},
                           kXliff[] = {".xlf", ".xliff", ".sdlxliff", ".mxliff"}, kPo[] = {".po", ".pot"},
                           kJsonl[] = {".jsonl", ".ndjson"};
// Endings that several formats share.
constexpr std::string_view kAmbiguous[] = {"", ".txt", ".json", ".xml"};

// The lines of a sample. A last line without a line end, which may be cut off, is left out unless it is the only one.
std::vector<std::string_view> whole_lines(std::string_view sample) {
  std::vector<std::string_view> lines;
  while (!sample.empty()) {
    const std::size_t end = sample.find('\n');
    if (end == sample.npos && !lines.empty()) break;
    lines.push_back(sample.substr(0, end));
    sample.remove_prefix(std::min(end == sample.npos ? end : end + 1, sample.size()));
  }
  return lines;
}

bool sniff_tsv(std::string_view sample) {
  constexpr std::size_t kLines = 10;
  std::size_t rows = 0;
  for (const std::string_view line : whole_lines(sample)) {
    if (rows == kLines) break;
    if (!has_text(line)) continue;
    if (line.find('\t') == line.npos) return false;
    ++rows;
  }
  return rows > 0;
}

bool sniff_never(std::string_view /*sample*/) {
  return false;
}

bool sniff_jsonl(std::string_view sample) {
  for (const std::string_view line : whole_lines(sample))
    if (has_text(line)) return line.starts_with('{') && line.find('"') != line.npos;
  return false;
}

bool sniff_po(std::string_view sample) {
  for (const std::string_view line : whole_lines(sample)) {
    if (line.starts_with("msgid \"") || line.starts_with("msgctxt \"")) return true;
    if (has_text(line) && !line.starts_with('#')) return false;
  }
  return false;
}

// Whether the first element, after declarations and comments, has this name.
bool has_root(std::string_view sample, std::string_view name) {
  for (std::size_t at = 0; (at = sample.find('<', at)) != sample.npos; ++at) {
    const std::string_view rest = sample.substr(at + 1);
    if (rest.starts_with('?') || rest.starts_with('!')) continue;
    return rest.starts_with(name) &&
           (rest.size() == name.size() || !std::isalnum(static_cast<unsigned char>(rest[name.size()])));
  }
  return false;
}
bool is_xml(std::string_view sample) {
  const std::size_t start = sample.find_first_not_of(" \t\r\n");
  return start != sample.npos && sample[start] == '<';
}
bool sniff_tmx(std::string_view sample) {
  return is_xml(sample) && has_root(sample, "tmx");
}
bool sniff_xliff(std::string_view sample) {
  return is_xml(sample) && has_root(sample, "xliff");
}

constexpr CorpusFormat kFormats[] = {
    {"tmx", kTmx, sniff_tmx, open_tmx}, {"xliff", kXliff, sniff_xliff, open_xliff},
    {"po", kPo, sniff_po, open_po},     {"jsonl", kJsonl, sniff_jsonl, open_jsonl},
    {"tsv", kTsv, sniff_tsv, open_tsv}, {"csv", kCsv, sniff_never, open_csv},
};

bool is_regular_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

std::span<const CorpusFormat> corpus_formats() {
  return kFormats;
}

const CorpusFormat* find_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, name, &CorpusFormat::name);
  return found == std::end(kFormats) ? nullptr : found;
}

const CorpusFormat* sniff_format(std::string_view sample) {
  const auto* found = std::ranges::find_if(kFormats, [&](const CorpusFormat& format) { return format.sniff(sample); });
  return found == std::end(kFormats) ? nullptr : found;
}

const CorpusFormat* detect_format(const std::string& path) {
  std::string ending = std::filesystem::path(without_compression_suffix(path)).extension().string();
  for (char& c : ending) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  for (const CorpusFormat& format : kFormats)
    if (std::ranges::find(format.endings, ending) != format.endings.end()) return &format;
  if (std::ranges::find(kAmbiguous, ending) == std::end(kAmbiguous) || !is_regular_file(path)) return nullptr;
  const std::string sample(ByteSource(path).sample());
  const CorpusFormat* format = sniff_format(sample);
  const std::size_t start = sample.find_first_not_of(" \t\r\n");
  check<InputError>(
      format != nullptr || ending != ".json" || start == sample.npos || (sample[start] != '[' && sample[start] != '{'),
      "{} is JSON, but heed reads JSON Lines: one object per line, such as {{\"en\": \"Hello.\", \"de\": "
      "\"Hallo.\"}}; `jq -c '.[]'` writes the elements of an array like that",
      in_quotes(path));
  return format;
}

bool looks_like_corpus(const std::string& path) {
  return detect_format(path) != nullptr;
}

std::vector<std::string> FileSource::notes() const {
  std::vector<std::string> notes;
  for (const std::string& note : {encoding_note(), language_note_})
    if (!note.empty()) notes.push_back(note);
  const auto skipped = [&](std::int64_t count, std::string_view what) {
    if (count > 0) notes.push_back(fmt::format("{}: skipped {} {}", printable(name_), count, what));
  };
  skipped(one_sided_, one_sided_ == 1 ? "entry without text on both sides" : "entries without text on both sides");
  skipped(fuzzy_, fuzzy_ == 1 ? "fuzzy entry" : "fuzzy entries");
  return notes;
}

void FileSource::choose_languages(Languages found, std::string_view why) {
  found_ = std::move(found);
  if (!options_.languages.source.empty() && !options_.languages.target.empty()) return;
  language_note_ = fmt::format("{}: translating {}, {}; {} if that is wrong", printable(name_),
                               printable(describe(found_)), why, kSetLanguages);
}

void join_lines(std::string& text) {
  constexpr std::string_view kSpace = " \t\r\n";
  if (text.find_first_of("\r\n") == text.npos) return;
  std::string joined;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = std::min(text.find_first_of(kSpace, at), text.size());
    joined.append(text, at, space - at);
    at = std::min(text.find_first_not_of(kSpace, space), text.size());
    const std::string_view gap = std::string_view(text).substr(space, at - space);
    if (gap.find_first_of("\r\n") == gap.npos)
      joined += gap;
    else if (space > 0 && at < text.size())
      joined += ' ';
  }
  text = std::move(joined);
}

bool has_text(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") != text.npos;
}

std::string listed(std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return out;
}

std::string describe(const Languages& languages) {
  if (languages.source.empty() && languages.target.empty()) return "from one language to another";
  if (languages.source.empty()) return fmt::format("to {}", text::describe_language(languages.target));
  if (languages.target.empty()) return fmt::format("from {}", text::describe_language(languages.source));
  return fmt::format("from {} to {}", text::describe_language(languages.source),
                     text::describe_language(languages.target));
}

}  // namespace heed::data
