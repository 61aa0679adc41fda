// Rewrites a line by rules. A rule reads the line once from left to right and, like a global substitution in Perl,
// never looks again at what it has read or written: this decides cases such as a,,5, and keeps every rule linear.
#pragma once

#include <utility>

#include "text/unicode.h"

namespace heed::text {

class Rewriter {
 public:
  // `text` is rewritten in place and must outlive the object.
  explicit Rewriter(MappedText& text) : text_(text) {}

  // Replaces the line with what `rule(i)` writes. The rule returns how many characters it has read, starting at i.
  template <class Rule>
  void rewrite(Rule rule) {
    out_.clear();
    out_.reserve(text_.size() + text_.size() / 4 + 8);
    for (std::size_t i = 0; i < text_.size();) i += rule(i);
    std::swap(text_, out_);
  }

  // For use in rules: writes character i as it is, having read one character.
  std::size_t copy(std::size_t i) {
    write(text_[i], text_.origin(i));
    return 1;
  }
  void write(char32_t character, Span origin) { out_.push(character, origin); }
  bool at(std::size_t i, char32_t character) const { return i < text_.size() && text_[i] == character; }

 protected:
  MappedText& text_;

 private:
  MappedText out_;  // kept between rules for its memory
};

}  // namespace heed::text
