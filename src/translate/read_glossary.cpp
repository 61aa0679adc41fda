// Reads glossaries from TSV, CSV and TBX files.
#include <algorithm>
#include <memory>
#include <unordered_set>

#include "base/csv.h"
#include "base/error.h"
#include "base/files.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "base/xml_reader.h"
#include "text/languages.h"
#include "text/scripts.h"
#include "text/tokenizer.h"
#include "translate/glossary.h"

namespace heed::translate {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r\n\v\f");
  if (from == text.npos) return {};
  return std::string(text.substr(from, text.find_last_not_of(" \t\r\n\v\f") + 1 - from));
}

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// The cells hold rules, separated by spaces.
void set_rules(GlossaryEntry& entry, std::span<const std::string> cells, const std::string& name) {
  const std::vector<std::string> rules = {"case", "any", "prefer"};
  bool any_case = false;
  for (const std::string& cell : cells)
    for (const text::Token& rule : text::whitespace_words(cell)) {
      const std::string known = lower(rule.text);
      const bool exact_case = known == "case" || known == "exact";
      check<InputError>(exact_case || std::ranges::find(rules, known) != rules.end(),
                        "{}:{}: {} is not a rule for a term (the columns after the translation hold rules); expected "
                        "case, any or prefer{}",
                        name, entry.line, in_quotes(rule.text), did_you_mean(known, rules));
      entry.exact_case |= exact_case;
      entry.preferred |= known == "prefer";
      any_case |= known == "any";
    }
  check<InputError>(!entry.exact_case || !any_case, "{}:{}: the rules case and any contradict each other; keep one",
                    name, entry.line);
}

// The language that a cell of a header names; empty if it is not one.
std::string language_of(const std::string& cell) {
  const std::string code = text::find_language(cell);
  return code.empty() ? text::find_language_name(cell) : code;
}

// Collects the rows of a table: terms, translations and rules. Its first row may be a header: "source" and "target", or
// the two languages, in any two columns.
class RowCollector {
 public:
  RowCollector(std::string name, const GlossaryOptions& options)
      : name_(std::move(name)),
        source_(text::language_key(options.source_language)),
        target_(text::language_key(options.target_language)) {}

  void add(std::span<const std::string> cells, std::int64_t line) {
    if (!std::exchange(started_, true) && take_header(cells)) return;
    const bool is_empty = std::ranges::all_of(cells, [](const std::string& cell) { return trimmed(cell).empty(); });
    if (is_empty) return;
    const auto term = [&](std::size_t column) {
      return column < cells.size() ? trimmed(replace_bad_utf8(cells[column])) : std::string();
    };
    GlossaryEntry entry{.source = term(source_column_), .target = term(target_column_), .line = line};
    check<InputError>(!entry.source.empty(), "{}:{}: the row has no source term in column {}", name_, line,
                      source_column_ + 1);
    set_rules(entry, cells.subspan(std::min(cells.size(), std::max(source_column_, target_column_) + 1)), name_);
    entries_.push_back(std::move(entry));
  }

  std::vector<GlossaryEntry> take() { return std::move(entries_); }

 private:
  // Without known languages, codes are not a header: "it" may well be a term.
  bool take_header(std::span<const std::string> cells) {
    std::vector<std::string> names, languages;
    for (const std::string& cell : cells) {
      names.push_back(trimmed(replace_bad_utf8(cell)));
      languages.push_back(language_of(names.back()));
    }
    if (names.size() < 2) return false;
    if (lower(names[0]) == "source" && lower(names[1]) == "target") return true;
    if (source_.empty() || target_.empty())
      return !languages[0].empty() && !languages[1].empty() && languages[0] != languages[1] && names[0].size() > 3 &&
             names[1].size() > 3;
    const auto source = std::ranges::find(languages, source_), target = std::ranges::find(languages, target_);
    if (source == languages.end() || target == languages.end()) return false;
    source_column_ = static_cast<std::size_t>(source - languages.begin());
    target_column_ = static_cast<std::size_t>(target - languages.begin());
    return true;
  }

  std::string name_, source_, target_;
  bool started_ = false;
  std::size_t source_column_ = 0, target_column_ = 1;
  std::vector<GlossaryEntry> entries_;
};

std::vector<GlossaryEntry> read_tsv(std::unique_ptr<ByteSource> bytes, const GlossaryOptions& options) {
  LineReader reader(std::move(bytes));
  RowCollector rows(reader.name(), options);
  std::vector<std::string> cells;
  for (std::string line; reader.next(line);) {
    cells.clear();
    for (std::size_t from = 0; from <= line.size();) {
      const std::size_t to = std::min(line.find('\t', from), line.size());
      cells.push_back(line.substr(from, to - from));
      from = to + 1;
    }
    rows.add(cells, reader.line_number());
  }
  return rows.take();
}

std::vector<GlossaryEntry> read_csv(ByteSource& bytes, const GlossaryOptions& options) {
  CsvParser parser(find_csv_separator(bytes.sample()));
  RowCollector rows(bytes.name(), options);
  for (std::string_view chunk; !(chunk = bytes.peek()).empty();) {
    const std::size_t size = chunk.size();
    const bool complete = parser.feed(chunk, bytes.name());
    bytes.skip(size - chunk.size());
    if (complete) rows.add(parser.cells(), parser.line());
  }
  if (parser.finish(bytes.name())) rows.add(parser.cells(), parser.line());
  return rows.take();
}

// Whether a file that is not named .csv is CSV: no line has a tab, and every line has a comma or semicolon that is not
// followed by a space. A list of terms to keep may well contain "Washington, D.C.".
bool looks_like_csv(std::string_view sample) {
  if (sample.find('\t') != sample.npos) return false;
  bool found = false;
  for (std::size_t from = 0; from < sample.size();) {
    const std::size_t to = sample.find('\n', from);
    // The last line of a sample may be cut off.
    if (to == sample.npos && found) break;
    const std::string line = trimmed(sample.substr(from, to - from));
    std::size_t at = line.find_first_of(",;");
    while (at != line.npos && (at + 1 == line.size() || line[at + 1] == ' ')) at = line.find_first_of(",;", at + 1);
    if (at == line.npos && !line.empty()) return false;
    found = found || !line.empty();
    from = to == sample.npos ? sample.size() : to + 1;
  }
  return found;
}

// A file without any translation is a list of terms to keep, unless all its lines are written like "dog = Hund".
void check_separators(std::span<const GlossaryEntry> entries, const std::string& name) {
  const auto has_target = [](const GlossaryEntry& entry) { return !entry.target.empty(); };
  const auto has_separator = [](const GlossaryEntry& entry) {
    constexpr std::string_view kSeparators[] = {"=", "->", "→", " : ", ": ", " | ", "  "};
    return std::ranges::any_of(kSeparators,
                               [&](std::string_view s) { return entry.source.find(s) != std::string::npos; });
  };
  if (entries.empty() || std::ranges::any_of(entries, has_target)) return;
  check<InputError>(!std::ranges::all_of(entries, has_separator),
                    "{}:{}: no line has a translation, for example {}; separate term and translation by a tab", name,
                    entries.front().line, in_quotes(entries.front().source));
}

// TBX: concepts (conceptEntry, or termEntry in older files) with one section per language (langSec, langSet), each with
// terms. All source terms of a concept are translated by its first preferred target term or, without one, by its first
// target term. Deprecated terms are never used as translations.
class TbxReader {
 public:
  TbxReader(std::unique_ptr<ByteSource> bytes, const GlossaryOptions& options)
      : xml_(std::move(bytes), Encoding::detect), options_(options) {}

  std::vector<GlossaryEntry> read() {
    for (XmlReader::Event event = xml_.next(); event != XmlReader::Event::finished; event = xml_.next()) handle(event);
    set_languages();
    std::vector<GlossaryEntry> entries;
    for (const std::vector<TbxTerm>& concept_terms : concepts_) add_concept(entries, concept_terms);
    check<InputError>(!entries.empty(), "{}: no concept has terms in both {} and {}", xml_.name(), source_, target_);
    return entries;
  }

 private:
  struct TbxTerm {
    std::string language, text;
    std::int64_t line = 0;
    int status = 0;  // 1: preferred, -1: deprecated
  };

  void handle(XmlReader::Event event) {
    const std::string& element = xml_.path().back();
    if (event == XmlReader::Event::start) {
      if (xml_.path().size() == 1)
        check<InputError>(element == "tbx" || element == "martif", "'{}' is not TBX: its first element is {}, not tbx",
                          xml_.name(), in_quotes(element));
      if (element == "conceptEntry" || element == "termEntry") concepts_.emplace_back();
      if (element == "langSec" || element == "langSet") language_ = text::language_key(xml_.attribute("lang"));
      is_status_ = element == "administrativeStatus" ||
                   (element == "termNote" && xml_.attribute("type") == "administrativeStatus");
      if (element == "term" && !concepts_.empty())
        concepts_.back().push_back({.language = language_, .text = {}, .line = xml_.line()});
    } else if (event == XmlReader::Event::end) {
      is_status_ = false;
    } else if (concepts_.empty() || concepts_.back().empty()) {
      return;
    } else if (std::ranges::find(xml_.path(), "term") != xml_.path().end()) {
      std::string& text = concepts_.back().back().text;
      text += xml_.text();
      check<InputError>(text.size() <= LineReader::kMaxLine, "{}:{}: the term is longer than {} MiB", xml_.name(),
                        xml_.line(), LineReader::kMaxLine >> 20);
    } else if (is_status_) {
      const std::string_view status = xml_.text();
      concepts_.back().back().status = status.starts_with("preferred") ? 1 : status.starts_with("deprecated") ? -1 : 0;
    }
  }

  // Takes both languages from the options or, unless both are set there, from a file with exactly two.
  void set_languages() {
    std::vector<std::string> found;
    for (const std::vector<TbxTerm>& terms : concepts_)
      for (const TbxTerm& term : terms)
        if (std::ranges::find(found, term.language) == found.end() && found.size() < 100)
          found.push_back(term.language);
    source_ = text::language_key(options_.source_language);
    target_ = text::language_key(options_.target_language);
    if (!source_.empty() && !target_.empty()) return;
    check<InputError>(found.size() == 2,
                      "{}: the model does not say which languages it translates, and the file has terms in {}; "
                      "write those of its two languages to a TSV file",
                      xml_.name(), found.empty() ? "no language" : fmt::format("{}", fmt::join(found, ", ")));
    source_ = found[0];
    target_ = found[1];
  }

  void add_concept(std::vector<GlossaryEntry>& entries, const std::vector<TbxTerm>& terms) {
    const TbxTerm* target = nullptr;
    for (const TbxTerm& term : terms)
      if (term.language == target_ && term.status >= 0 && !trimmed(term.text).empty() &&
          (target == nullptr || term.status > target->status))
        target = &term;
    if (target == nullptr) return;
    for (const TbxTerm& term : terms) {
      GlossaryEntry entry{.source = trimmed(replace_bad_utf8(term.text)),
                          .target = trimmed(replace_bad_utf8(target->text)),
                          .line = term.line};
      // If several concepts have the same term, the first one counts.
      std::u32string key = text::decode_utf8(entry.source);
      std::ranges::transform(key, key.begin(), text::fold_case);
      if (term.language == source_ && !key.empty() && seen_.insert(std::move(key)).second)
        entries.push_back(std::move(entry));
    }
  }

  XmlReader xml_;
  const GlossaryOptions& options_;
  std::string language_, source_, target_;
  bool is_status_ = false;
  std::vector<std::vector<TbxTerm>> concepts_;
  std::unordered_set<std::u32string> seen_;  // in lower case
};

}  // namespace

std::vector<GlossaryEntry> read_glossary(const std::string& path, const GlossaryOptions& options) {
  auto bytes = std::make_unique<ByteSource>(path);
  std::string sample = bytes->sample();
  // A short glossary has too few accented letters for the detection of its encoding, unless they are repeated.
  if (detect_encoding(fmt::format("{0}\n{0}\n{0}\n", sample)) == Encoding::cp1252) {
    bytes->set_encoding(Encoding::cp1252);
    sample = bytes->sample();
  }
  const std::size_t first = sample.find_first_not_of(" \t\r\n");
  const bool has_tag = first != sample.npos && sample[first] == '<';
  const auto has = [&](std::string_view text) { return has_tag && sample.find(text) != sample.npos; };
  std::string name = lower(path);
  for (const std::string_view ending : {".gz", ".zst", ".xz"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  if (name.ends_with(".tbx") || has("<?xml") || has("<martif") || has("<tbx"))
    return TbxReader(std::move(bytes), options).read();
  std::vector<GlossaryEntry> entries = name.ends_with(".csv") || looks_like_csv(sample)
                                           ? read_csv(*bytes, options)
                                           : read_tsv(std::move(bytes), options);
  check_separators(entries, path);
  return entries;
}

}  // namespace heed::translate
