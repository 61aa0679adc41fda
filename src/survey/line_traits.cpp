#include "survey/line_traits.h"

#include <algorithm>

#include "base/checksum.h"
#include "text/unicode.h"

namespace heed::survey {

namespace {

bool is_control(char32_t c) {
  return (c < 0x20 && c != '\t') || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

// UTF-8 that was decoded as Latin-1 or Windows-1252 and encoded again: the first byte of a sequence appears as Â, Ã or
// â, the second as one of a few signs that no word has there.
bool is_misread(char32_t c, char32_t next) {
  if (c == 0xC2 || c == 0xC3) return next >= 0x80 && next < 0xC0;
  return c == 0xE2 && (next == 0x20AC || next == 0x80);
}

std::uint64_t hash_of(std::string_view bytes) {
  Xxh64 hash;
  hash.update(bytes);
  return hash.digest();
}

// Scripts with letters that look alike.
bool is_european(text::Script script) {
  static const text::Script kLatin = text::script_of('a'), kGreek = text::script_of(0x3B1),
                            kCyrillic = text::script_of(0x436);
  return script == kLatin || script == kGreek || script == kCyrillic;
}

}  // namespace

LineTraits LineScanner::scan(std::string_view line) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  LineTraits traits;
  text::decode_utf8(line, text_);
  traits.characters = static_cast<std::uint32_t>(text_.size());
  traits.hash = hash_of(line);
  folded_.clear();
  std::array<std::uint32_t, 256> letters{};
  text::Script previous = text::kNoScript;  // of the previous character, if it is a letter
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const char32_t c = text_[i];
    const bool letter = classes.is(c, text::kLetter);
    if (letter || classes.is(c, text::kNumber)) folded_.push_back(text::fold_case(c));
    const bool control = is_control(c);
    const bool wrong_encoding = c == 0xFFFD || (i + 1 < text_.size() && is_misread(c, text_[i + 1]));
    const text::Script script = letter ? text::script_of(c) : text::kNoScript;
    if (letter) ++letters[script];
    const bool mixed_word = script != previous && is_european(script) && is_european(previous);
    if (traits.odd_at == 0 && (control || wrong_encoding || mixed_word)) traits.odd_at = static_cast<std::uint32_t>(i);
    traits.control |= control;
    traits.wrong_encoding |= wrong_encoding;
    traits.mixed_word |= mixed_word;
    previous = script;
  }
  letters[text::kNoScript] = 0;
  for (std::size_t s = 0; s < letters.size(); ++s) script_letters_[s] += letters[s];
  const auto most = std::ranges::max_element(letters);
  if (*most > 0) traits.script = static_cast<text::Script>(most - letters.begin());
  if (!folded_.empty())
    traits.folded_hash = hash_of({reinterpret_cast<const char*>(folded_.data()), folded_.size() * sizeof(char32_t)});
  return traits;
}

}  // namespace heed::survey
