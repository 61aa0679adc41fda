// Which columns of a table, keys of an object or languages of a file are the two sides.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "data/formats/format.h"
#include "text/languages.h"

namespace heed::data {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::string lower(std::string_view name) {
  std::string out(name);
  for (char& c : out) c = c == '_' ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return out;
}

// The name of a column without a common suffix: "source" for "source_text" and "Source sentence".
std::string without_suffix(const std::string& name) {
  constexpr std::string_view kSuffixes[] = {"text", "texts", "sentence", "sentences", "segment", "language", "lang"};
  const std::size_t at = name.find_last_of("_- ");
  if (at == name.npos || at == 0) return name;
  return std::ranges::find(kSuffixes, lower(name.substr(at + 1))) == std::end(kSuffixes) ? name : name.substr(0, at);
}

// Two-letter code of the language that a column names; empty if that is not a language.
std::string find_column_language(const std::string& name) {
  if (std::string code = text::find_language(name); !code.empty()) return code;
  const std::string plain = without_suffix(name);
  // Looking up a name is slow, so cells that look like a sentence are skipped.
  constexpr std::size_t kShortest = 4;
  constexpr std::ptrdiff_t kMostSpaces = 2;
  if (plain.size() < kShortest || std::ranges::count(plain, ' ') > kMostSpaces ||
      plain.find_first_of(".,;:?!\"0123456789") != plain.npos)
    return "";
  return text::find_language_name(plain);
}

// Names of columns with row numbers; they are also the codes of Indonesian, Norwegian and South Ndebele.
bool is_numbering(std::string_view name) {
  const std::string plain = lower(name);
  return plain == "id" || plain == "no" || plain == "nr";
}

// The language that a word names: "Deutsch", "Deutscher", or, if abbreviated by a period, "Engl".
std::string find_name_in_word(std::string_view word, bool abbreviated) {
  constexpr std::size_t kShortest = 4;
  constexpr std::string_view kGermanEndings[] = {"er", "es", "en", "e"};
  if (abbreviated) return text::find_language_abbreviation(word);
  if (word.size() < kShortest) return "";
  std::string code = text::find_language_name(word);
  for (const std::string_view ending : kGermanEndings)
    if (code.empty() && word.ends_with(ending) && word.size() > kShortest + ending.size())
      code = text::find_language_name(word.substr(0, word.size() - ending.size()));
  return code;
}

// The language that one of the words of a short cell names, as in "Deutscher Satz", "text_de", "Deutsch (DE)" and
// "Engl.". Names count more than codes, because "(BR)" may be a country. Empty if there is none, or several.
std::string find_word_language(std::string_view cell) {
  constexpr std::size_t kLongest = 40;
  constexpr int kMostWords = 4;
  constexpr std::string_view kBetween = " _-./:()[]", kEnds = " ()[]";
  if (cell.size() > kLongest) return "";
  // A short word between spaces may belong to a sentence, so it is not taken for a code.
  const std::size_t space = cell.find(' ');
  const bool has_codes = space == cell.npos || cell.find_first_of("([", space) == space + 1;
  std::set<std::string> names, codes;
  int words = 0;
  for (std::size_t at = 0, end = 0; at < cell.size(); at = end + 1) {
    end = std::min(cell.find_first_of(kBetween, at), cell.size());
    const std::string_view word = cell.substr(at, end - at);
    if (word.empty()) continue;
    if (++words > kMostWords) return "";
    const bool abbreviated =
        end < cell.size() && cell[end] == '.' && (end + 1 == cell.size() || kEnds.find(cell[end + 1]) != kEnds.npos);
    if (std::string code = find_name_in_word(word, abbreviated); !code.empty())
      names.insert(std::move(code));
    else if (has_codes && word.size() <= 3 && !is_numbering(word) && !text::find_language(word).empty())
      codes.insert(text::find_language(word));
  }
  const std::set<std::string>& found = names.empty() ? codes : names;
  return found.size() == 1 ? *found.begin() : "";
}

// The position of a language: exactly this tag, or else the first of its variants.
std::size_t find_language(std::span<const std::string> tags, const std::string& wanted) {
  const auto exact = std::ranges::find(tags, lower(wanted), lower);
  if (exact != tags.end()) return static_cast<std::size_t>(exact - tags.begin());
  const auto variant = std::ranges::find(tags, text::language_key(wanted), text::language_key);
  return variant == tags.end() ? kNone : static_cast<std::size_t>(variant - tags.begin());
}

// The position of the only language other than `known`; kNone if there are several or none.
std::size_t find_other(std::span<const std::string> tags, const std::string& known) {
  std::size_t found = kNone;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (text::language_key(tags[i]) == text::language_key(known)) continue;
    if (found == kNone)
      found = i;
    else if (text::language_key(tags[i]) != text::language_key(tags[found]))
      return kNone;
  }
  return found;
}

std::size_t find_word(std::span<const std::string> names, std::span<const std::string_view> words) {
  const auto found = std::ranges::find_if(names, [&](const std::string& name) {
    return std::ranges::find(words, std::string_view(lower(without_suffix(name)))) != words.end();
  });
  return found == names.end() ? kNone : static_cast<std::size_t>(found - names.begin());
}

std::optional<TwoSides> both(std::size_t source, std::size_t target) {
  if (source == kNone || target == kNone || source == target) return std::nullopt;
  return TwoSides{source, target};
}

// In English, German, French and Spanish.
constexpr std::string_view kSource[] = {"source",       "src",          "original", "quelle", "quelltext",
                                        "quellsprache", "ausgangstext", "fuente",   "origen", "texto fuente"};
constexpr std::string_view kTarget[] = {"target",
                                        "tgt",
                                        "trg",
                                        "translation",
                                        "ziel",
                                        "zieltext",
                                        "zielsprache",
                                        "cible",
                                        "traduction",
                                        "destino",
                                        "objetivo",
                                        "traduccion",
                                        "traducci\u00f3n",
                                        "\u00fcbersetzung",
                                        "\u00dcbersetzung",
                                        "uebersetzung"};

std::optional<TwoSides> find_source_and_target(std::span<const std::string> names) {
  return both(find_word(names, kSource), find_word(names, kTarget));
}

struct LanguageColumn {
  std::size_t index;
  std::string tag;  // as the column writes it if text::find_language() knows it, or else the code
};

std::size_t count_languages(std::span<const LanguageColumn> columns) {
  std::set<std::string> keys;
  for (const LanguageColumn& column : columns) keys.insert(text::language_key(column.tag));
  return keys.size();
}

// The columns whose names are languages. If these are fewer than two languages: the columns with a language among the
// words of their names, provided that these languages all differ.
std::vector<LanguageColumn> language_columns(std::span<const std::string> names) {
  std::vector<LanguageColumn> whole, parts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string code = find_column_language(names[i]);
    if (!code.empty()) whole.push_back({i, text::find_language(names[i]).empty() ? code : names[i]});
  }
  const auto is_number = [&](const LanguageColumn& column) { return is_numbering(names[column.index]); };
  if (whole.size() > 2) std::erase_if(whole, is_number);
  if (std::ranges::none_of(whole, is_number) && count_languages(whole) >= 2) return whole;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string code = find_column_language(names[i]);
    if (code.empty()) code = find_word_language(names[i]);
    if (!code.empty()) parts.push_back({i, std::move(code)});
  }
  if (parts.size() > 2) std::erase_if(parts, is_number);
  const bool is_clear = parts.size() >= 2 && count_languages(parts) == parts.size();
  return is_clear ? parts : whole;
}

// A column that was asked for, as a number from 1.
int find_column(const Column& column, std::span<const std::string> header, const std::string& name) {
  if (column.number > 0) return column.number;
  auto found = std::ranges::find(header, column.name);
  if (found == header.end()) found = std::ranges::find(header, lower(column.name), lower);
  check<InputError>(found != header.end(), "{}:1: there is no column {}; the first line has {}", name,
                    in_quotes(column.name), listed(header));
  return static_cast<int>(found - header.begin()) + 1;
}

// Whether the cells of two columns are the names of these sides, and not a pair of sentences.
bool are_names(const std::string& source, const std::string& target, const Languages& named, const Languages& wanted) {
  const std::array cells = {source, target};
  if (const auto words = find_source_and_target(cells)) return true;
  const auto fits = [](const std::string& language, const std::string& wish) {
    return !language.empty() && (wish.empty() || text::language_key(language) == text::language_key(wish));
  };
  return fits(named.source, wanted.source) && fits(named.target, wanted.target);
}

// Whether a cell is a number or an id, such as "#12", "s-001" and "menu.file_open".
bool is_id(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const bool has_digit = text.find_first_of(kDigits) != text.npos;
  if (has_digit && text.find_first_not_of(" 0123456789.,#") == text.npos) return true;
  const bool is_one_word = std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; });
  const std::size_t inner = text.find_first_of("._/:");
  return is_one_word && !text.empty() && (has_digit || (inner != text.npos && inner + 1 < text.size()));
}

// Whether a cell is one word without punctuation.
bool is_word(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t.,;:?!\"'()0123456789") == text.npos;
}

// Whether a first row that does not name two sides may still be a header: short cells without punctuation, at least one
// of them with an underscore, a language or a common header word.
bool looks_like_header(std::span<const std::string> cells) {
  constexpr std::size_t kLongest = 30;
  static constexpr std::string_view kUsual[] = {"id",   "text",     "sentence", "segment", "score",
                                                "lang", "language", "domain",   "comment"};
  const auto is_short = [](const std::string& cell) {
    return cell.size() <= kLongest && cell.find_first_of(".,;:?!\"") == cell.npos && std::ranges::count(cell, ' ') <= 1;
  };
  const auto is_usual = [](const std::string& cell) {
    const std::array one = {cell};
    return cell.find('_') != cell.npos || find_word(one, kUsual) == 0 || find_word(one, kSource) == 0 ||
           find_word(one, kTarget) == 0 || (cell.size() > 3 && !find_column_language(cell).empty());
  };
  return cells.size() >= 2 && std::ranges::all_of(cells, is_short) && std::ranges::any_of(cells, is_usual);
}

}  // namespace

std::optional<TwoSides> find_languages(std::span<const std::string> tags, const Languages& wanted) {
  const std::string &source = wanted.source, &target = wanted.target;
  if (!source.empty() && !target.empty()) return both(find_language(tags, source), find_language(tags, target));
  if (!source.empty()) return both(find_language(tags, source), find_other(tags, source));
  if (!target.empty()) return both(find_other(tags, target), find_language(tags, target));
  return tags.empty() ? std::nullopt : both(0, find_other(tags, tags[0]));
}

std::optional<TwoSides> find_columns(std::span<const std::string> names, const Languages& wanted) {
  // A wanted language may have a code that find_language() does not know.
  std::vector<LanguageColumn> at = language_columns(names);
  for (const std::string& language : {wanted.source, wanted.target})
    if (const std::size_t exact = language.empty() ? kNone : find_language(names, language);
        exact != kNone && std::ranges::find(at, exact, &LanguageColumn::index) == at.end())
      at.push_back({exact, names[exact]});
  std::ranges::sort(at, {}, &LanguageColumn::index);
  std::vector<std::string> tags;
  for (const LanguageColumn& column : at) tags.push_back(column.tag);
  auto found = find_languages(tags, wanted);
  const auto words = find_source_and_target(names);
  if (words && (wanted.source.empty() || wanted.target.empty() || !found)) return words;
  if (found) found = {at[found->source].index, at[found->target].index, {at[found->source].tag, at[found->target].tag}};
  return found;
}

Languages chosen_languages(const std::string& source, const std::string& target, const FormatOptions& options,
                           const std::string& name) {
  const std::array names = {source, target};
  const std::vector<LanguageColumn> columns = language_columns(names);
  if (count_languages(columns) < 2) return {};
  Languages found{columns[0].tag, columns[1].tag};
  check<InputError>(!are_reversed(found, options.languages),
                    "{}: the pairs of --columns go {}, but they should go {}; name the columns in the other order",
                    name, describe(found), describe(options.languages));
  return found;
}

TableColumns choose_columns(std::span<const std::string> first_row, const FormatOptions& options,
                            const std::string& name) {
  const auto cell = [&](int number) {
    return static_cast<std::size_t>(number) <= first_row.size() ? first_row[static_cast<std::size_t>(number) - 1] : "";
  };
  const Columns& columns = options.columns;
  if (columns.given()) {
    TableColumns chosen{.source = find_column(columns.source, first_row, name),
                        .target = find_column(columns.target, first_row, name)};
    const bool named = !columns.source.name.empty() || !columns.target.name.empty();
    chosen.found = chosen_languages(cell(chosen.source), cell(chosen.target), options, name);
    chosen.has_header = named || are_names(cell(chosen.source), cell(chosen.target), chosen.found, options.languages);
    if (!chosen.has_header) chosen.found = {};
    check<InputError>(chosen.source != chosen.target, "{}:1: both sides would be column {}; give two different ones",
                      name, chosen.source);
    return chosen;
  }
  if (const auto sides = find_columns(first_row, options.languages)) {
    return {static_cast<int>(sides->source) + 1, static_cast<int>(sides->target) + 1, true, sides->languages};
  }
  // A row that names at least two languages is a header, even if they are not the right ones. The name of one language
  // in two languages, as in a dictionary, is not a header.
  const std::vector<LanguageColumn> languages = language_columns(first_row);
  std::vector<std::string> names;
  for (const LanguageColumn& column : languages) names.push_back(text::describe_language(column.tag));
  check<InputError>(count_languages(languages) < 2,
                    "{}:1: the columns are {}, but the pairs should go {}; {}, or give the columns, such as --columns "
                    "1,2",
                    name, listed(names), describe(options.languages),
                    options.languages.source.empty() || options.languages.target.empty()
                        ? kSetLanguages
                        : "correct --source-language or --target-language");
  return {.odd_header = looks_like_header(first_row)};
}

bool TableSource::take_header(std::span<const std::string> first_row) {
  columns_ = choose_columns(first_row, options_, name_);
  if (options_.columns.given())
    found_ = columns_.found;  // without a note: the user chose the columns
  else if (!columns_.found.source.empty())
    choose_languages(columns_.found, "as its first line says");
  if (columns_.has_header || options_.columns.given()) return columns_.has_header;
  if (first_row.size() > 2) doubtful_row_.assign(first_row.begin(), first_row.end());
  has_short_start_ = first_row.size() > 1 && is_word(first_row[0]) && is_word(first_row[1]);
  return false;
}

void TableSource::check_row(const SentencePair& pair) {
  constexpr int kRows = 5;
  if (rows_ > kRows || rows_++ == 0) return;  // the first row may be a header
  const auto has_space = [](const std::string& text) { return text.find(' ') != text.npos; };
  has_short_start_ &= has_space(pair.source) && has_space(pair.target);
  has_words_[0] |= !is_id(pair.source);
  has_words_[1] |= !is_id(pair.target);
  if (rows_ <= kRows) return;
  columns_.odd_header |= has_short_start_;
  check_columns();
}

bool TableSource::check_columns() {
  const std::vector<std::string> cells = std::exchange(doubtful_row_, {});
  if (cells.empty() || rows_ < 2 || (has_words_[0] && has_words_[1])) return false;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < cells.size(); ++i) shown.push_back(fmt::format("{} {}", i + 1, in_quotes(cells[i])));
  const int number = has_words_[0] ? 2 : 1;
  throw InputError(
      "{}: column {} has only numbers or ids, and the first line does not say which columns are source and target: {}; "
      "give "
      "them, such as --columns {}",
      name_, number, listed(shown), number == 1 ? "2,3" : "1,3");
}

std::vector<std::string> TableSource::notes() const {
  std::vector<std::string> notes = FileSource::notes();
  if (columns_.odd_header)
    notes.push_back(fmt::format(
        "{}:1: the first line was read as a pair; if it has the names of the columns, give those of source and target, "
        "such as --columns NAME,NAME",
        printable(name_)));
  return notes;
}

void TableSource::take_short_row(SentencePair& pair, std::size_t columns, std::string_view separator) const {
  pair.short_row = columns;
  if (options_.keep_short_rows) return;
  const bool is_first = pair.line == (columns_.has_header ? 2 : 1);
  if (is_first && options_.columns.given()) fail_without_columns(options_.columns, name_, columns);
  throw InputError(
      "{}:{}: the line has {} column{}, but column {} is needed; columns are separated by {} (`heed data {} --clean "
      "PREFIX` writes a copy without such lines)",
      name_, pair.line, columns, columns == 1 ? "" : "s", std::max(columns_.source, columns_.target), separator, name_);
}

void fail_without_columns(const Columns& wanted, std::string_view name, std::size_t columns) {
  const auto shown = [](const Column& column) {
    return column.name.empty() ? fmt::format("{}", column.number) : in_quotes(column.name);
  };
  throw InputError("'{}' has {}, but --columns asks for {} and {}; give two that it has", name,
                   counted(columns, "column"), shown(wanted.source), shown(wanted.target));
}

}  // namespace heed::data
