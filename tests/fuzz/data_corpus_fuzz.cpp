// The readers of parallel text on any bytes, plain or compressed: pairs of valid UTF-8 in order, or an InputError. The
// survey of the text, as page and as JSON, is valid text. The first bytes choose the format.
#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "base/utf8.h"
#include "memory_file.h"
#include "survey/report.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read(const heed::data::CorpusFiles& files) {
  try {
    heed::data::PairReader reader(files);
    std::int64_t line = 0;
    for (heed::data::SentencePair pair; reader.next(pair);) {
      require(pair.number == ++line && pair.line > 0);
      require(heed::is_valid_utf8(pair.source) && heed::is_valid_utf8(pair.target));
      require((pair.source + pair.target).find('\n') == std::string::npos);
      require(!files.strict || !pair.bad_utf8);
    }
    require(line > 0 && reader.pairs() == line);
  } catch (const heed::InputError&) {
  }
}

void survey(const heed::data::CorpusFiles& files) {
  static const auto tokenizer = heed::text::make_tokenizer({.kind = "words", .language = "de"});
  heed::survey::SurveyOptions options{
      .source_tokenizer = tokenizer.get(), .target_tokenizer = tokenizer.get(), .max_words = 5};
  options.held_out = {{"validation", files}};
  try {
    const heed::survey::Survey result = heed::survey::survey_corpus(files, options);
    require(result.clean_pairs() <= result.pairs);
    const std::string page = heed::survey::survey_page(result, 80);
    require(heed::is_valid_utf8(page) && page.find('\0') == std::string::npos);
    heed::parse_json(heed::dump_json(heed::survey::survey_json(result)), "the survey");
  } catch (const heed::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const bool tsv = (data[0] & 1) != 0;
  const std::size_t cut = tsv ? bytes.size() : std::min<std::size_t>(bytes.size(), data[1]);
  const MemoryFile first(bytes.substr(0, cut)), second(bytes.substr(cut));
  heed::data::CorpusFiles files{.strict = (data[0] & 2) != 0, .keep_short_rows = (data[0] & 4) != 0};
  if (tsv) {
    files.parts = {{.file = first.path(), .format = "tsv"}};
    files.columns = {.source = {.number = 1 + data[1] % 4}, .target = {.number = 5 - data[1] % 4}};
  } else {
    files.parts = {{.source = first.path(), .target = second.path()}};
  }
  read(files);
  survey(files);
  return 0;
}
