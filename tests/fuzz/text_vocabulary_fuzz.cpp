// The readers of vocabularies and word vectors on any bytes: they read them or throw an InputError. A vocabulary that
// was read has the same words after it is written and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "text/embeddings.h"
#include "text/vocabulary.h"

namespace {

void read_vocabulary(std::string_view bytes) {
  const heed::text::SpecialIds special{.unk = 0};
  try {
    const auto vocabulary = heed::text::Vocabulary::parse(bytes, special, "fuzz");
    const auto again = heed::text::Vocabulary::parse(vocabulary.serialize(), special, "fuzz");
    if (again.size() != vocabulary.size()) std::abort();
    for (heed::text::TokenId id = 0; id < vocabulary.size(); ++id) {
      if (again.word(id) != vocabulary.word(id)) std::abort();
      if (!vocabulary.is_special(id) && vocabulary.id(vocabulary.word(id)) != id) std::abort();
    }
  } catch (const heed::InputError&) {
  }
}

void read_vectors(std::string_view bytes) {
  heed::text::VocabularyBuilder builder;
  for (const auto* word : {"a", "B", "the", "0"}) builder.add(word);
  const auto vocabulary = builder.build({});
  const heed::text::NextLine next = [&](std::string& line) {
    if (bytes.empty()) return false;
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    return true;
  };
  try {
    heed::text::read_embeddings(next, "fuzz", 2, vocabulary,
                                [&](heed::text::TokenId id, std::span<const float> vector) {
                                  if (id < 0 || id >= vocabulary.size() || vector.size() != 2) std::abort();
                                });
  } catch (const heed::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_vocabulary(bytes);
  read_vectors(bytes);
  return 0;
}
