// Subword models of any bytes: they are refused with an InputError, or SentencePiece can split any text with them. If
// the first byte is odd, the others are the normalization rules of a small valid model, without the size of their trie.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/random.h"
#include "base/utf8.h"
#include "text/tokenizer.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

std::string field(char number, const std::string& bytes) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  std::size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) out += static_cast<char>((size & 0x7F) | 0x80);
  return out + static_cast<char>(size) + bytes;
}

std::string model_with_rules(std::string_view bytes) {
  constexpr std::size_t kBlock = 1024;
  std::uint32_t size = static_cast<std::uint32_t>(bytes.size() / kBlock * kBlock);
  const std::string header(reinterpret_cast<const char*>(&size), sizeof(size));
  std::string model;
  for (const char* text : {"\u2581", "a", "b", "ab", "\ufffd"}) model += field(1, field(1, text));
  return model + field(1, field(1, "<unk>") + "\x18\x02") + field(3, field(2, header + std::string(bytes) + '\0'));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  try {
    const auto tokenizer = heed::text::make_tokenizer(
        {.kind = "sentencepiece", .subword_model = data[0] % 2 == 1 ? model_with_rules(bytes) : std::string(bytes)});
    tokenizer->closed_vocabulary();
    for (const std::string& line : {std::string("abba a  b\xff"), all, std::string(bytes.substr(0, 300)),
                                    std::string(200, 'a'), std::string("\ufb01sh \u00bd \uff21\ufdfa")}) {
      const std::size_t characters = heed::text::decode_utf8(line).size();
      const heed::text::SubwordSampling sampling{.alpha = 0.3F, .random = heed::Random(1, heed::Stream::test)};
      for (const auto& tokens : {tokenizer->tokenize(line), tokenizer->sample(line, sampling)})
        for (const heed::text::Token& token : tokens) {
          require(heed::is_valid_utf8(token.text));
          require(token.span.from <= token.span.to && token.span.to <= characters);
        }
    }
  } catch (const heed::InputError&) {
  }
  return 0;
}
