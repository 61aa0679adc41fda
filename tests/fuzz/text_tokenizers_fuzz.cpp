// Every tokenizer on any bytes, after any normalization: tokens are valid UTF-8 without line feeds, their spans lie
// within the line, and detokenizing does not fail. The first bytes choose the kind, the language and the steps.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "text/tokenizer.h"

namespace {

constexpr std::string_view kLanguages[] = {"en", "de", "fr", "fi", "so", "ca", "tdt", "xx"};

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const auto kinds = heed::text::tokenizer_kinds();
  heed::text::TokenizerOptions options{.kind = std::string(kinds[data[0] % kinds.size()].name),
                                       .language = std::string(kLanguages[data[1] % 8]),
                                       .split_hyphens = data[1] >= 128};
  if (options.kind == "sentencepiece") return 0;
  const auto steps = heed::text::normalization_steps();
  for (std::uint8_t chosen = data[2]; chosen > 0; chosen /= 11) {
    if (chosen % 11 > 0) options.normalize.push_back(steps[chosen % 11 - 1]);
  }
  std::string line(reinterpret_cast<const char*>(data + 3), size - 3);
  std::erase(line, '\n');
  const auto tokenizer = heed::text::make_tokenizer(options);
  const auto tokens = tokenizer->tokenize(line);
  const std::size_t characters = heed::text::decode_utf8(line).size();
  for (const heed::text::Token& token : tokens) {
    require(!token.text.empty() && heed::is_valid_utf8(token.text));
    require(token.text.find('\n') == std::string::npos);
    require(token.span.from <= token.span.to && token.span.to <= characters);
  }
  require(heed::is_valid_utf8(tokenizer->detokenize(heed::text::token_texts(tokens))));
  return 0;
}
