// Sentences of any bytes: in order, without overlaps, neither empty nor with white space at their ends, and with
// nothing but white space outside them. The first byte chooses the language.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/utf8.h"
#include "text/sentences.h"
#include "text/unicode.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_blank(std::string_view text) {
  const heed::text::CharacterClasses& classes = heed::text::CharacterClasses::get();
  for (const char32_t c : heed::text::decode_utf8(text))
    if (!classes.is(c, heed::text::kSpace)) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr const char* kLanguages[] = {"en", "de", "fr", "ja", "", "xx"};
  if (size == 0) return 0;
  const std::string text = heed::replace_bad_utf8({reinterpret_cast<const char*>(data) + 1, size - 1});
  std::size_t end = 0;
  for (const auto& sentence : heed::text::SentenceSplitter(kLanguages[data[0] % 6]).split(text)) {
    require(end <= sentence.from && sentence.from < sentence.to && sentence.to <= text.size());
    require(is_blank(std::string_view(text).substr(end, sentence.from - end)));
    require(heed::is_valid_utf8(sentence.of(text)) && !is_blank(sentence.of(text)));
    end = sentence.to;
  }
  require(is_blank(std::string_view(text).substr(end)));
  return 0;
}
