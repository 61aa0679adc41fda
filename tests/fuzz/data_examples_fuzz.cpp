// Token caches of any bytes, also with a trailer that fits: read in full or refused with an InputError.
#include <cstdint>
#include <cstring>

#include "base/error.h"
#include "data/batches.h"
#include "memory_file.h"

namespace {

void open(const std::string& bytes) {
  const MemoryFile file(bytes);
  try {
    const heed::ExampleStore store = heed::ExampleStore::open(file.path());
    std::int64_t tokens = 0;
    volatile std::int64_t sum = 0;  // every id is read
    for (std::size_t i = 0; i < store.size(); ++i) {
      const heed::EncodedPair pair = store[i];
      if (pair.source.empty() || pair.target.empty()) std::abort();
      tokens += static_cast<std::int64_t>(pair.source.size() + pair.target.size());
      for (const heed::TokenId id : pair.source) sum = sum + id;
      for (const heed::TokenId id : pair.target) sum = sum + id;
    }
    if (tokens != store.source_tokens() + store.target_tokens()) std::abort();
    store.check_ids(100, 100);
    heed::BatchSampler sampler(heed::example_lengths(store), {.batch_size = 3}, 1);
    sampler.next();
  } catch (const heed::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  open(bytes);
  if (size < 48) return 0;
  std::memcpy(bytes.data() + size - 48, "heedtok1", 8);
  heed::Xxh64 checksum;
  checksum.update(std::string_view(bytes).substr(0, size - 8));
  const std::uint64_t digest = checksum.digest();
  std::memcpy(bytes.data() + size - 8, &digest, 8);
  open(bytes);
  return 0;
}
