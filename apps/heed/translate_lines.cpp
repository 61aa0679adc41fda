#include "translate_lines.h"

#include <algorithm>

#include "base/utf8.h"
#include "command.h"
#include "translate/json.h"
#include "translate_prompt.h"

namespace heed::cli {

namespace {

// What --alignment appends.
std::string appended_links(const LineFormat& format, const std::string& line, const translate::LineResult& result,
                           std::size_t translation) {
  return format.alignment ? " ||| " + format_alignment(word_links(line, result, translation)) : "";
}

}  // namespace

std::size_t LineTranslation::run(std::span<const std::string> lines, std::span<const std::string> prefixes,
                                 std::int64_t first, const LineFormat& format, const Write& write, const Note& note) {
  const std::vector<translate::LineResult> results =
      layer_.translate(translate::requests_for(lines, prefixes), options_);
  std::size_t i = 0;
  for (; i < lines.size() && results[i].done(); ++i) {
    const std::int64_t number = first + static_cast<std::int64_t>(i);
    if (results[i].too_long)
      note(fmt::format("line {} is longer than {} tokens; translated in {} parts", number + 1,
                       translator_.max_source_tokens(options_), results[i].chunks.size()));
    if (!bad_utf8_ && !is_valid_utf8(lines[i])) {
      bad_utf8_ = true;
      note(fmt::format("line {} is not valid {}; invalid bytes are read as U+FFFD, here and later", number + 1,
                       encoding_title(format.encoding)));
    }
    if (format.unknown_words != nullptr) collect_unknown_words(results[i], *format.unknown_words);
    write_line(lines[i], results[i], number, format, write);
  }
  return i;
}

void LineTranslation::write_line(const std::string& line, const translate::LineResult& result, std::int64_t number,
                                 const LineFormat& format, const Write& write) const {
  if (format.json) {
    Json json = to_json(line, result);
    if (format.alignment) json["alignment"] = format_alignment(word_links(line, result, 0));
    return write(dump_json(json) + "\n");
  }
  const auto nbest = static_cast<std::size_t>(options_.search.nbest);
  if (nbest == 1) return write(result.best().text + appended_links(format, line, result, 0) + "\n");
  // Always --nbest lines: if there are fewer translations, the last one is repeated.
  for (std::size_t k = 0; k < nbest; ++k) {
    const std::size_t index = std::min(k, result.translations.size() - 1);
    const translate::Translation& translation = result.translations[index];
    write(fmt::format("{} ||| {} ||| {:.6f}{}\n", number, translation.text, translation.score,
                      appended_links(format, line, result, index)));
  }
}

}  // namespace heed::cli
