// Text as the metrics see it: characters, words between white space, and the pieces that tokenizers are made of. White
// space is what Python's str.split() takes for it, since published scores rest on that. Functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::metrics {

// Unicode's White_Space and the four ASCII separators U+001C to U+001F.
bool is_metric_space(char32_t c);

// The characters of a line without the white space at its end, in lower case if wanted; bad bytes are U+FFFD.
std::u32string read_segment(std::string_view utf8, bool lowercase);

// Words between white space, as views into the text.
std::vector<std::u32string_view> split_words(std::u32string_view text);

// Replaces every occurrence, left to right.
void replace_all(std::u32string& text, std::u32string_view what, std::u32string_view by);

// The four escapes of XML that scoring scripts undo, one after another: &amp;lt; becomes <.
void undo_xml_escapes(std::u32string& text);

// Puts spaces around every character of a class.
template <class Class>
std::u32string space_around(std::u32string_view text, Class in_class) {
  std::u32string out;
  out.reserve(text.size() + text.size() / 4);
  for (const char32_t c : text) {
    if (in_class(c)) {
      out += {U' ', c, U' '};
    } else {
      out += c;
    }
  }
  return out;
}

// Finds pairs of neighbors, the first of class `first`, the second of class `second`, left to right without overlap,
// and puts a space between the two and one outside, next to the punctuation: on the right, where it is the second.
enum class Punctuation { first, second };
template <class First, class Second>
std::u32string split_pairs(std::u32string_view text, Punctuation place, First first, Second second) {
  std::u32string out;
  out.reserve(text.size() + text.size() / 4);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      out += text[i];
      continue;
    }
    if (place == Punctuation::first) out += U' ';
    out += {text[i], U' ', text[i + 1]};
    if (place == Punctuation::second) out += U' ';
    ++i;
  }
  return out;
}

// What mteval's rules for Western text do, shared by 13a and TER's normalization: most ASCII punctuation stands alone;
// full stop and comma do except between digits, a hyphen does behind a digit. `text` has a space at both ends.
std::u32string split_western_symbols(std::u32string_view text);
std::u32string split_western_numbers(std::u32string_view text);

// Tokenizers of BLEU, by the names and with the results of sacreBLEU: tokens between white space.
struct MetricTokenizer {
  std::string_view name;
  std::u32string (*apply)(std::u32string_view line);
};
// The one table of them. An unknown name is a UsageError that lists the known ones.
const MetricTokenizer& find_metric_tokenizer(std::string_view name);
std::vector<std::string> metric_tokenizer_names();

// Whether most full stops and commas at the end of words stand apart from them, as tokenizers leave them: scores of
// such text cannot be compared with published ones.
class TokenizedText {
 public:
  void add(std::string_view utf8);
  bool likely() const { return apart_ > attached_; }

 private:
  std::size_t apart_ = 0, attached_ = 0;
};

}  // namespace heed::metrics
