#include "data/line_traits.h"

#include <algorithm>
#include <iterator>

#include "base/checksum.h"
#include "text/unicode.h"

namespace heed::data {

namespace {

bool is_control(char32_t c) {
  return (c < 0x20 && c != '\t') || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

// UTF-8 that was decoded as Latin-1 or Windows-1252 and encoded again: the first byte of a sequence appears as Â, Ã or
// â, the second as one of a few characters that no word has there.
bool is_misread(char32_t c, char32_t next) {
  if (c == 0xC2 || c == 0xC3) return next >= 0x80 && next < 0xC0;
  return c == 0xE2 && (next == 0x20AC || next == 0x80);
}

std::uint64_t hash_of(std::string_view bytes) {
  Xxh64 hash;
  hash.update(bytes);
  return hash.digest();
}

// 0 for an empty text.
std::uint64_t hash_of(const std::u32string& text) {
  return text.empty() ? 0 : hash_of({reinterpret_cast<const char*>(text.data()), text.size() * sizeof(char32_t)});
}

bool separates_thousands(char32_t c) {
  return c == '.' || c == ',' || c == '\'' || c == ' ' || c == 0xA0 || c == 0x2009 || c == 0x2019 || c == 0x202F;
}

// The numbers of a line, in ascending order.
class NumberScanner {
 public:
  explicit NumberScanner(const std::u32string& text) : text_(text) {}

  std::vector<std::uint64_t> scan() {
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 0; i < text_.size();) {
      const std::size_t end = digits_end(i);
      if (end == i) {
        ++i;
        continue;
      }
      std::uint64_t value = value_of(0, i, end);
      bool groups = end - i <= 3;  // 1 to 3 digits may begin a number with separated thousands
      for (i = end; groups && i < text_.size() && separates_thousands(text_[i]) && digits_end(i + 1) == i + 4; i += 4)
        value = value_of(value, i + 1, i + 4);
      numbers.push_back(value);
    }
    std::ranges::sort(numbers);
    return numbers;
  }

 private:
  std::size_t digits_end(std::size_t i) const {
    while (i < text_.size() && text::digit_value(text_[i]) >= 0) ++i;
    return i;
  }
  std::uint64_t value_of(std::uint64_t value, std::size_t from, std::size_t to) const {
    constexpr std::uint64_t kLimit = 1'000'000'000'000'000'000;
    for (; from < to; ++from)
      value = value % (kLimit / 10) * 10 + static_cast<std::uint64_t>(text::digit_value(text_[from]));
    return value;
  }

  const std::u32string& text_;
};

// Scripts with letters that look alike.
bool is_european(text::Script script) {
  static const text::Script kLatin = text::script_of('a'), kGreek = text::script_of(0x3B1),
                            kCyrillic = text::script_of(0x436);
  return script == kLatin || script == kGreek || script == kCyrillic;
}

}  // namespace

bool numbers_differ(const LineTraits& source, const LineTraits& target) {
  if (source.numbers == target.numbers) return false;
  constexpr std::uint64_t kMostSpelledOut = 12;
  std::vector<std::uint64_t> only_source, only_target;
  std::ranges::set_difference(source.numbers, target.numbers, std::back_inserter(only_source));
  std::ranges::set_difference(target.numbers, source.numbers, std::back_inserter(only_target));
  if (!only_source.empty() && !only_target.empty()) return true;
  return std::max(only_source.empty() ? 0 : only_source.back(), only_target.empty() ? 0 : only_target.back()) >
         kMostSpelledOut;
}

LineTraits LineScanner::scan(std::string_view line) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  LineTraits traits;
  text::decode_utf8(line, text_);
  traits.characters = static_cast<std::uint32_t>(text_.size());
  traits.hash = hash_of(line);
  folded_.clear();
  shape_.clear();
  bool has_numbers = false;
  std::array<std::uint32_t, 256> letters{};
  text::Script previous = text::kNoScript;  // of the previous character, if it is a letter
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const char32_t c = text_[i];
    const bool letter = classes.is(c, text::kLetter);
    const bool number = classes.is(c, text::kNumber);
    if (letter || number) folded_.push_back(text::fold_case(c));
    if (letter) shape_.push_back(folded_.back());
    if (number && !shape_.ends_with(U'0')) shape_.push_back(U'0');
    has_numbers |= number;
    const bool control = is_control(c);
    const bool wrong_encoding = c == 0xFFFD || (i + 1 < text_.size() && is_misread(c, text_[i + 1]));
    const text::Script script = letter ? text::script_of(c) : text::kNoScript;
    if (letter) ++letters[script];
    const bool mixed_word = script != previous && is_european(script) && is_european(previous);
    if (!traits.odd_at && (control || wrong_encoding || mixed_word)) traits.odd_at = static_cast<std::uint32_t>(i);
    traits.control |= control;
    traits.wrong_encoding |= wrong_encoding;
    traits.mixed_word |= mixed_word;
    previous = script;
  }
  letters[text::kNoScript] = 0;
  for (std::size_t s = 0; s < letters.size(); ++s) script_letters_[s] += letters[s];
  const auto most = std::ranges::max_element(letters);
  if (*most > 0) traits.script = static_cast<text::Script>(most - letters.begin());
  traits.folded_hash = hash_of(folded_);
  traits.shape_hash = hash_of(shape_);
  if (has_numbers) traits.numbers = NumberScanner(text_).scan();
  return traits;
}

}  // namespace heed::data
