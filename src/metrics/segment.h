// Text as the metrics read it: characters, words, and the building blocks of their tokenizers. White space is that of
// Python's str.split(), on which published scores are based. All functions are thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::metrics {

// Unicode's White_Space and the four ASCII separators U+001C to U+001F.
bool is_metric_space(char32_t c);

// The characters of a line without the white space at its end; invalid UTF-8 becomes U+FFFD.
std::u32string read_segment(std::string_view utf8, bool lowercase);

// Words separated by white space, as views of the text.
std::vector<std::u32string_view> split_words(std::u32string_view text);

// Replaces every occurrence of `find`, from left to right.
void replace_all(std::u32string& text, std::u32string_view find, std::u32string_view with);

// Undoes four XML escapes, one after another, as scoring scripts do: &amp;lt; becomes <.
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

// Finds pairs of adjacent characters, the first of class `first`, the second of class `second`, from left to right and
// without overlap, and puts spaces around the one that is punctuation.
enum class Punctuation { first, second };
template <class First, class Second>
std::u32string split_pairs(std::u32string_view text, Punctuation punctuation, First first, Second second) {
  std::u32string out;
  out.reserve(text.size() + text.size() / 4);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      out += text[i];
      continue;
    }
    if (punctuation == Punctuation::first) out += U' ';
    out += {text[i], U' ', text[i + 1]};
    if (punctuation == Punctuation::second) out += U' ';
    ++i;
  }
  return out;
}

// The rules of mteval for Western text, shared by 13a and the normalization of TER: most ASCII punctuation is split
// off, a full stop or comma unless it stands between digits, a hyphen only after a digit. `text` must have a space at
// both ends.
std::u32string split_western_symbols(std::u32string_view text);
std::u32string split_western_numbers(std::u32string_view text);

// The tokenizers of BLEU, with the names and results of sacreBLEU: they put spaces between tokens.
struct MetricTokenizer {
  std::string_view name;
  std::u32string (*apply)(std::u32string_view line);
};
// An unknown name is a UsageError that lists the known ones.
const MetricTokenizer& find_metric_tokenizer(std::string_view name);
std::vector<std::string> metric_tokenizer_names();

// Detects text that is already tokenized: most of its full stops and commas are words of their own instead of ending a
// word. The scores of such text cannot be compared with published ones.
class TokenizedText {
 public:
  void add(std::string_view utf8);
  bool likely() const { return apart_ > attached_; }

 private:
  std::size_t apart_ = 0, attached_ = 0;
};

}  // namespace heed::metrics
