// A format of parallel text on any bytes: pairs of one valid line per side, the same in a second pass, or one error.
// The first byte chooses the languages, the columns and the encoding.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "data/corpus.h"
#include "memory_file.h"

inline std::vector<std::string> fuzz_pairs(const heed::data::CorpusFiles& files) {
  const auto require = [](bool holds) {
    if (!holds) std::abort();
  };
  std::vector<std::string> texts;
  try {
    heed::data::PairReader reader(files);
    for (heed::data::SentencePair pair; reader.next(pair);) {
      require(pair.line > 0 && pair.weight == 1);
      for (const std::string& text : {pair.source, pair.target}) {
        require(heed::is_valid_utf8(text) && text.find('\n') == std::string::npos);
        texts.push_back(text);
      }
    }
    require(!texts.empty());
    for (const std::string& note : reader.notes()) require(heed::is_valid_utf8(note));
  } catch (const heed::InputError& error) {
    texts.emplace_back(error.what());
  } catch (const heed::UsageError& error) {
    texts.emplace_back(error.what());
  }
  return texts;
}

inline int fuzz_format(const char* format, const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const MemoryFile file({reinterpret_cast<const char*>(data) + 1, size - 1});
  heed::data::CorpusFiles files{.parts = {{.file = file.path(), .format = format}},
                                .encoding = static_cast<heed::Encoding>(data[0] >> 4 & 3),
                                .keep_short_rows = (data[0] & 4) != 0};
  if ((data[0] & 1) != 0) files.languages = {"de", "en"};
  if ((data[0] & 2) != 0) files.columns = heed::data::parse_columns((data[0] & 8) != 0 ? "de,en" : "2,1");
  if (fuzz_pairs(files) != fuzz_pairs(files)) std::abort();
  return 0;
}
