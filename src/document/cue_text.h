// The text of a subtitle cue: parses the parts that are translated, and writes their translations. Thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/inline_marks.h"

namespace heed::document {

// The text of one speaker.
struct CueText {
  std::string before = {};       // {\an8} or the dash of a speaker at the start
  std::string open, close = {};  // tags around the whole text: <i>, </i>
  text::MarkedText text = {};
  MarkTags tags = {};
  std::size_t lines = 1, width = 0;
  bool same_line = false;  // starts on the line on which the previous speaker's text ends
};

std::string_view without_line_end(std::string_view line);

// The texts of a cue: one, or one per speaker. `vtt`: & and < are escaped, and <v Name> names a speaker.
std::vector<CueText> parse_cue(std::span<const std::string> lines, bool vtt);

// Writes a translation in as many lines as the text has, or in two if it is too long for one. Time stamps keep their
// order.
std::string write_cue_text(const CueText& cue, text::MarkedText text, std::string_view line_end, bool vtt);

}  // namespace heed::document
