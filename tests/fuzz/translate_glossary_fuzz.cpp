// A glossary on any bytes: entries that are found in their own source terms, or one error. The first byte chooses the
// languages and how terms are matched.
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "base/utf8.h"
#include "memory_file.h"
#include "translate/glossary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const MemoryFile file(bytes);
  heed::translate::GlossaryOptions options;
  if ((data[0] & 1) != 0) options.match = heed::translate::GlossaryMatch::inflected;
  if ((data[0] & 2) != 0) options.source_language = "en", options.target_language = "de";
  try {
    const auto entries = heed::translate::read_glossary(file.path(), options);
    const heed::translate::Glossary glossary(entries, options.match);
    for (const auto& entry : entries) {
      if (!heed::is_valid_utf8(entry.source) || !heed::is_valid_utf8(entry.target)) std::abort();
      if (glossary.find(entry.source).empty()) std::abort();
    }
    std::uint32_t end = 0;
    for (const auto& term : glossary.find(bytes)) {
      if (term.source.from < end || term.source.from >= term.source.to || term.target.empty()) std::abort();
      end = term.source.to;
    }
  } catch (const heed::InputError&) {
  }
  return 0;
}
