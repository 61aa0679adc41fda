#include "translate/text_options.h"

#include "base/enum_names.h"
#include "base/error.h"

namespace heed::translate {
namespace {

struct Row {
  Segmentation value;
  std::string_view name, about;
};
constexpr Row kSegmentations[] = {
    {Segmentation::sentences, "sentences", "translate each sentence of a line on its own"},
    {Segmentation::lines, "lines", "translate each line whole, unless it has more than --max-source-length tokens"},
    {Segmentation::never, "never", "translate each line whole, however long it is"},
};
static_assert(rows_in_order(kSegmentations));

}  // namespace

std::vector<std::string> enum_names(Segmentation) {
  return row_names(kSegmentations);
}
std::vector<std::string> enum_about(Segmentation) {
  return row_lines(kSegmentations);
}

void declare(Options& o, TextOptions& v) {
  o.flag("segment", v.segment, "how lines are split before translation");
  o.flag("protect", v.protect,
         "keep numbers, addresses, file names, code, emoji, tags and placeholders such as {name} and %s exactly");
  o.flag("glossary", v.glossary_file,
         "translate terms as this file says: a term, its translation and rules (exact, any, prefer) per line, as TSV, "
         "CSV or TBX; without a translation, a term is kept as it is")
      .value("FILE")
      .reads();
  o.flag("glossary-match", v.glossary_match, "how the terms of the glossary are found in the text");
  o.flag("restore-case", v.restore_case,
         "pass text in all capitals or title case to the model in the case that it knows, and restore the case in the "
         "translation");
  o.flag("stop-repetition", v.stop_repetition,
         "search again, without repeated phrases, if a translation repeats one endlessly and the source does not");
  o.flag("plain", v.plain,
         "give every line to the model as it is: no sentence splitting, nothing protected, copied or restored");
}

void resolve(const TextOptions& v, const Options& options) {
  check<UsageError>(v.glossary_file.empty() || !v.plain,
                    "--glossary {} has no effect with --plain, which gives every line to the model as it is; leave out "
                    "one of them",
                    v.glossary_file);
  check<UsageError>(!v.glossary_file.empty() || !options.is_set(&v.glossary_match),
                    "--glossary-match says how the terms of a glossary are found; give one with --glossary FILE");
}

void load_glossary(TextOptions& v, const model::RecordedLanguages& languages) {
  if (v.glossary_file.empty()) return;
  v.glossary = std::make_shared<const Glossary>(Glossary::read(
      v.glossary_file,
      {.match = v.glossary_match, .source_language = languages.source, .target_language = languages.target}));
}

}  // namespace heed::translate
