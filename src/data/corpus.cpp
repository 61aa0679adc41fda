#include "data/corpus.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "data/formats/format.h"
#include "text/unicode.h"

namespace heed::data {

namespace {

std::unique_ptr<PairSource> open_source(const CorpusPart& part, const FormatOptions& options) {
  if (part.file.empty()) return open_two_files(part, options);
  auto bytes = std::make_unique<ByteSource>(part.file, options.encoding);
  base::check<InputError>(!bytes->sample().starts_with("PK\x03\x04"),
                          "'{}' is a zip archive or an office document, not parallel text; save a spreadsheet as CSV, "
                          "and a translation memory as TMX",
                          bytes->name());
  const CorpusFormat* format = !part.format.empty()         ? find_format(part.format)
                               : bytes->name() != part.file ? sniff_format(bytes->sample())  // standard input
                                                            : detect_format(part.file);
  if (format == nullptr) format = find_format("tsv");  // whose errors explain what is missing
  return format->open(std::move(bytes), options);
}

}  // namespace

void CorpusFiles::check() const {
  base::check<UsageError>(!parts.empty(), "no parallel text; give two plain files or one with both sides");
  int standard_inputs = 0;
  for (const CorpusPart& part : parts) {
    const bool two = !part.source.empty() && !part.target.empty() && part.file.empty();
    const bool one = part.source.empty() && part.target.empty() && !part.file.empty();
    base::check<UsageError>(two || one, "'{}' is only one side of a corpus; give the other one too",
                            part.source + part.target + part.file);
    standard_inputs += (part.source == "-") + (part.target == "-") + (part.file == "-");
  }
  base::check<UsageError>(
      standard_inputs <= 1,
      "standard input cannot be read twice; give a file for one of the sides, or one text with both sides");
}

bool CorpusFiles::reads_standard_input() const {
  return std::ranges::any_of(
      parts, [](const CorpusPart& part) { return part.source == "-" || part.target == "-" || part.file == "-"; });
}

Languages corpus_languages(CorpusFiles files) {
  const std::vector<CorpusPart> parts = std::exchange(files.parts, {});
  for (const CorpusPart& part : parts) {
    files.parts = {part};
    PairReader reader(files);
    SentencePair pair;
    reader.next(pair);
    files.languages = reader.languages();
  }
  return files.languages;
}

PairReader::PairReader(CorpusFiles files)
    : files_(std::move(files)), asked_(files_.languages.asked()), notes_(files_.notes) {
  files_.check();
  open_part();
}
PairReader::~PairReader() = default;

std::string PairReader::name(Side side, std::size_t part) const {
  const CorpusPart& p = files_.parts[part];
  return input_name(!p.file.empty() ? p.file : side == Side::source ? p.source : p.target);
}

std::string PairReader::name(Side side) const {
  const std::size_t more = files_.parts.size() - 1;
  return name(side, 0) + (more > 0 ? fmt::format(" and {} more", more) : "");
}

void PairReader::open_part() {
  CorpusPart& part = files_.parts[part_];
  if (part.file.empty() && !asked_) orient_plain(part);
  source_ = open_source(part, options(files_.languages.guessed ? Languages{} : files_.languages));
  part_pairs_ = 0;
}

FormatOptions PairReader::options(const Languages& languages) const {
  return {.columns = files_.columns,
          .languages = languages,
          .encoding = files_.encoding,
          .keep_short_rows = files_.keep_short_rows};
}

// If the user named no languages, the endings of plain files decide.
void PairReader::orient_plain(CorpusPart& part) {
  const Languages endings = ending_languages(part);
  if (endings.source.empty()) return;
  if (files_.languages.source.empty() && files_.languages.target.empty()) {
    files_.languages = endings;
    named_by_ = part_;
  } else if (part.any_order && are_reversed(endings, files_.languages)) {
    notes_.push_back(swap_sides(part, files_.languages));
  }
}

// Reads the first pair of a part. The part's languages are known only then, so its sides may be swapped here.
bool PairReader::first_of_part(SentencePair& pair) {
  if (!source_->next(pair)) return false;
  if (files_.languages.guessed && are_reversed(source_->languages(), files_.languages)) {
    const CorpusPart& part = files_.parts[part_];
    const std::string others = named_by_ ? fmt::format("'{}'", name(Side::source, *named_by_)) : "the other files";
    check<InputError>(part.file != "-", "the pairs of {} go {}, but those of {} {}; {}", name(Side::source, part_),
                      describe(source_->languages()), others, describe(files_.languages), kSetLanguages);
    source_ = open_source(part, options({files_.languages.source, files_.languages.target}));
    notes_.push_back(fmt::format("{}: translating {}, as in {}; {} if that is wrong", printable(part.file),
                                 printable(describe(files_.languages)), printable(others), kSetLanguages));
    return source_->next(pair);
  }
  if (!named_by_ && !source_->languages().source.empty()) named_by_ = part_;
  if (const std::string& why = files_.languages.why;
      !why.empty() && !files_.parts[part_].file.empty() && source_->names_languages())
    notes_.push_back(fmt::format("{}: translating {}, {}", printable(name(Side::source, part_)),
                                 printable(describe(files_.languages)), why));
  if (!unnamed_ && !source_->names_languages()) unnamed_ = part_;
  return true;
}

void PairReader::finish_part() {
  notes_ = notes();
  files_.languages = languages();
  source_.reset();
  if (asked_ || !named_by_ || !unnamed_) return;
  notes_.push_back(fmt::format(
      "{}: it does not name its languages; its pairs are assumed to go {}, like those of '{}'; if that is wrong, add a "
      "first line with the names of its languages",
      printable(name(Side::source, *unnamed_)), printable(describe(files_.languages)),
      printable(name(Side::source, *named_by_))));
  unnamed_.reset();
}

std::vector<std::string> PairReader::notes() const {
  std::vector<std::string> notes = notes_;
  if (source_) std::ranges::move(source_->notes(), std::back_inserter(notes));
  return notes;
}

Languages PairReader::languages() const {
  Languages languages = files_.languages;
  const Languages found = source_ ? source_->languages() : Languages{};
  if (languages.guessed && !found.source.empty() && !found.target.empty()) return found;
  if (languages.source.empty()) languages.source = found.source;
  if (languages.target.empty()) languages.target = found.target;
  return languages;
}

// Reads the next pair, of this part or a later one.
bool PairReader::next_of_part(SentencePair& pair) {
  while (source_) {
    pair.short_row = 0;
    if (part_pairs_ == 0 ? first_of_part(pair) : source_->next(pair)) return true;
    check<InputError>(part_pairs_ > 0, "'{}' is empty; a corpus has one sentence per line", name(Side::source, part_));
    finish_part();
    if (part_ + 1 == files_.parts.size()) return false;
    ++part_;
    open_part();
  }
  return false;
}

bool PairReader::next(SentencePair& pair) {
  if (!next_of_part(pair)) return false;
  ++part_pairs_;
  pair.number = ++pairs_;
  pair.part = part_;
  pair.weight = files_.parts[part_].weight;
  bytes_ += static_cast<std::int64_t>(pair.source.size() + pair.target.size());
  pair.bad_utf8 = repair_utf8(Side::source, pair.source, pair);
  pair.bad_utf8 |= repair_utf8(Side::target, pair.target, pair);
  return true;
}

// Replaces and counts invalid UTF-8; returns whether there was any.
bool PairReader::repair_utf8(Side side, std::string& text, const SentencePair& pair) {
  const text::Utf8Report report = text::check_utf8(text);
  if (report.bad_bytes == 0) return false;
  check<InputError>(!files_.strict, "{}:{}: byte {} of the text is not valid UTF-8; convert the file, or omit --strict",
                    name(side, pair.part), pair.line, report.first_bad_byte + 1);
  BadUtf8& bad = side == Side::source ? bad_source_ : bad_target_;
  if (bad.lines++ == 0) {
    bad.first_line = pair.line;
    bad.first_file = name(side, pair.part);
  }
  bad.bytes += static_cast<std::int64_t>(report.bad_bytes);
  text = replace_bad_utf8(text);
  return true;
}

void SelectionTally::add(Verdict verdict) {
  ++read;
  kept += verdict == Verdict::kept;
  empty += verdict == Verdict::empty;
  too_long += verdict == Verdict::too_long;
  other_prefix += verdict == Verdict::other_prefix;
}

Verdict judge_words(const PairSelection& selection, std::size_t source_words, std::size_t target_words) {
  if (!selection.keep_empty && (source_words == 0 || target_words == 0)) return Verdict::empty;
  const auto longest = static_cast<std::int64_t>(std::max(source_words, target_words));
  return selection.max_words > 0 && longest > selection.max_words ? Verdict::too_long : Verdict::kept;
}

Verdict judge_prefixes(const PairSelection& selection, std::string_view source, std::string_view target) {
  const auto fits = [](const std::vector<std::string>& prefixes, std::string_view text) {
    return prefixes.empty() ||
           std::ranges::any_of(prefixes, [&](const auto& prefix) { return text.starts_with(prefix); });
  };
  const bool kept = fits(selection.source_prefixes, source) && fits(selection.target_prefixes, target);
  return kept ? Verdict::kept : Verdict::other_prefix;
}

}  // namespace heed::data
