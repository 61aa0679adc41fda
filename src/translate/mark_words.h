// The words of a line and of its translation, and the links between them, as far as marks need them: for marks.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "translate/line_result.h"

namespace heed::translate {

// Words [from, to) of a side.
struct WordRange {
  std::uint32_t from = 0, to = 0;
  bool empty() const { return from >= to; }
  bool operator==(const WordRange&) const = default;
};

// The words of a text: runs of letters and digits, single characters of scripts without spaces, and every other
// character, a symbol, on its own. A kept span is one word.
struct MarkWords {
  std::vector<text::Token> tokens;  // spans only
  std::vector<bool> is_symbol;

  MarkWords(std::u32string_view text, std::vector<text::Span> kept);
  std::uint32_t size() const { return static_cast<std::uint32_t>(tokens.size()); }
  const text::Span& span(std::uint32_t word) const { return tokens[word].span; }
  // Those with a character in the span.
  WordRange in(const text::Span& span) const;
};

// A sentence or chunk of the line, and its translation.
struct MarkBlock {
  WordRange source, target;
};

struct MarkLinks {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  MarkWords source, target;
  std::vector<MarkBlock> blocks;                    // in order; every word of both sides is in one
  std::vector<std::uint32_t> source_of;             // by target word: the word that it attends to most
  std::vector<std::vector<std::uint32_t>> targets;  // by source word: those that attend to it most, in order
  std::vector<std::uint32_t> closest;               // by source word: the target word that attends to it most, if any

  MarkLinks(std::u32string_view line, std::u32string_view translation, const LineResult& result);
  // The block of a source word.
  const MarkBlock& block_of(std::uint32_t source_word) const;

 private:
  void link_block(const MarkBlock& block, const text::AttentionMatrix& map);
};

}  // namespace heed::translate
