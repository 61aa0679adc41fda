#include "text/sentences.h"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"
#include "text/abbreviations.h"
#include "text/unicode.h"

namespace heed::text {
namespace {

// Whether the characters before `at` can end a sentence although text follows; without any, ICU need not be asked.
bool may_have_boundary(std::string_view text) {
  // The ASCII marks are followed by something; all other marks, and line separators, start with a high byte.
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' || c == '!' || c == '?' || c == '\n' || c == '\r' || static_cast<signed char>(c) < 0) return true;
  }
  return false;
}

ByteRange trimmed(std::string_view text, ByteRange range) {
  const CharacterClasses& classes = CharacterClasses::get();
  const auto at = [&](std::size_t from) {
    const std::string_view rest = text.substr(from, 4);
    const std::size_t length = std::max<std::size_t>(utf8_sequence_length(rest), 1);
    return std::pair{length, decode_utf8(rest.substr(0, length))[0]};
  };
  while (range.from < range.to) {
    const auto [length, c] = at(range.from);
    if (!classes.is(c, kSpace)) break;
    range.from += length;
  }
  while (range.from < range.to) {
    std::size_t last = range.to - 1;
    while (last > range.from && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    if (!classes.is(at(last).second, kSpace)) break;
    range.to = last;
  }
  return range;
}

}  // namespace

struct SentenceSplitter::Rules {
  explicit Rules(const std::string& language) {
    UErrorCode status = U_ZERO_ERROR;
    iterator = ubrk_open(UBRK_SENTENCE, language.c_str(), nullptr, 0, &status);
    check<InternalError>(U_SUCCESS(status), "ICU has no rules for sentences: {}", u_errorName(status));
  }
  ~Rules() {
    utext_close(text);
    ubrk_close(iterator);
  }
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  void set_text(std::string_view utf8) {
    UErrorCode status = U_ZERO_ERROR;
    text = utext_openUTF8(text, utf8.data(), static_cast<std::int64_t>(utf8.size()), &status);
    ubrk_setUText(iterator, text, &status);
    check<InternalError>(U_SUCCESS(status), "ICU cannot read a text: {}", u_errorName(status));
  }

  UBreakIterator* iterator = nullptr;
  UText* text = nullptr;
};

SentenceSplitter::SentenceSplitter(std::string_view language) : language_(language) {}
SentenceSplitter::~SentenceSplitter() = default;
SentenceSplitter::SentenceSplitter(SentenceSplitter&&) noexcept = default;
SentenceSplitter& SentenceSplitter::operator=(SentenceSplitter&&) noexcept = default;

// Whether `sentence`, which ends where ICU sees an end, is one although text follows at `next`.
bool SentenceSplitter::is_boundary(std::string_view text, const ByteRange& sentence, std::size_t next) const {
  const std::string_view words = sentence.of(text);
  if (!words.ends_with('.')) return true;
  const std::string_view stem = words.substr(0, words.size() - 1);
  const std::size_t space = stem.find_last_of(" \t(");
  const std::string_view last = space == std::string_view::npos ? stem : stem.substr(space + 1);
  switch (find_abbreviation(language_, last)) {
    case AbbreviationKind::always:
      return false;
    case AbbreviationKind::before_number:
      return !(next < text.size() && is_ascii_digit(text[next]));
    case AbbreviationKind::none:
      return true;
  }
  return true;
}

std::vector<ByteRange> SentenceSplitter::split(std::string_view text) {
  std::vector<ByteRange> sentences;
  const ByteRange whole = trimmed(text, {0, text.size()});
  if (whole.from == whole.to) return sentences;
  if (!may_have_boundary(whole.of(text))) return {whole};
  if (!rules_) rules_ = std::make_unique<Rules>(language_);
  rules_->set_text(text);
  std::size_t from = whole.from;
  for (std::int32_t end = ubrk_first(rules_->iterator); (end = ubrk_next(rules_->iterator)) != UBRK_DONE;) {
    const auto to = static_cast<std::size_t>(end);
    const ByteRange sentence = trimmed(text, {from, std::max(from, to)});
    if (sentence.from == sentence.to) continue;
    if (to < whole.to && !is_boundary(text, sentence, to)) continue;
    sentences.push_back(sentence);
    from = to;
  }
  return sentences;
}

}  // namespace heed::text
