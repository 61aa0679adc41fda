// The words of a line and of its translation, and the links between them: a part of marks.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "translate/line_result.h"

namespace heed::translate {

// Words [from, to) of the line or of the translation.
struct WordRange {
  std::uint32_t from = 0, to = 0;
  bool empty() const { return from >= to; }
  bool operator==(const WordRange&) const = default;
};

// Whether the character's script has no spaces between words: Chinese, Japanese, Thai, Lao, Khmer and Burmese.
bool is_written_without_spaces(char32_t c);

// The words of a text: runs of letters and digits, and single characters of scripts without spaces. Every other
// character but a space is a word of its own, a symbol. A kept span is one word.
struct MarkWords {
  std::vector<text::Token> tokens;  // spans without texts
  std::vector<bool> is_symbol;

  MarkWords(std::u32string_view text, std::vector<text::Span> kept);
  std::uint32_t size() const { return static_cast<std::uint32_t>(tokens.size()); }
  const text::Span& span(std::uint32_t word) const { return tokens[word].span; }
  // The words that have a character in the span.
  WordRange in(const text::Span& span) const;
};

// A chunk of the line (LineResult::chunks) and its translation.
struct MarkChunk {
  WordRange source, target;
};

// The words of both sides, linked by attention or, without attention, by position.
struct MarkLinks {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  MarkWords source, target;
  std::vector<MarkChunk> chunks;                    // in order; every word of both sides is in one
  std::vector<std::uint32_t> source_of;             // by target word: the source word that it is linked to, or kNone
  std::vector<std::vector<std::uint32_t>> targets;  // by source word: the target words that are linked to it, in order
  std::vector<std::uint32_t> closest;               // by source word: the target word that attends to it most, or kNone

  // `reverse`: see transfer_marks().
  MarkLinks(std::u32string_view line, std::u32string_view translation, const LineResult& result,
            std::span<const text::AttentionMatrix> reverse);
  // The chunk that contains a source word.
  const MarkChunk& chunk_of(std::uint32_t source_word) const;

 private:
  text::AttentionMatrix word_weights(const MarkChunk& chunk, const text::AttentionMatrix& map,
                                     const text::AttentionMatrix* reverse) const;
  void link_chunk(const MarkChunk& chunk, const text::AttentionMatrix& map, const text::AttentionMatrix* reverse);
};

}  // namespace heed::translate
