// Word alignments of a training corpus as targets for attention (guided alignment): links between words, spread over
// the tokens that a model reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "alignment/links.h"
#include "tensor/guide.h"
#include "text/tokenizer.h"

namespace heed::data {

// One list of guides per pair, by target token. Any number of threads may read it once it is filled.
class GuideStore {
 public:
  void add(Guides guides);
  std::size_t size() const { return begins_.size() - 1; }
  bool empty() const { return size() == 0; }
  Guides operator[](std::size_t i) const { return Guides(guides_).subspan(begins_[i], begins_[i + 1] - begins_[i]); }

 private:
  std::vector<Guide> guides_;
  std::vector<std::uint64_t> begins_ = {0};
};

// The file of the links and the tokenizers of the words that they count, which may differ from the model's tokens.
struct GuideFile {
  std::string path = {};
  const text::Tokenizer *source_words = nullptr, *target_words = nullptr;
  bool shift = false;  // a word's links guide the following step
};

// A file of links, one line per pair, and its lines as guides.
class GuideReader {
 public:
  // Reads the whole file into memory, 12 bytes per link. InputError for a malformed link, with file and line.
  explicit GuideReader(const GuideFile& file);

  // The guides of pair number `line`, counted from 1: each token of a target word with links distributes its
  // attention equally over all tokens of the linked source words, in its own row or (shift) the following one; a token
  // of a word without links has no guides. InputError if the file has no such line or a link is outside the texts.
  std::vector<Guide> guides(std::int64_t line, std::string_view source_text, std::string_view target_text,
                            std::span<const text::Token> source, std::span<const text::Token> target) const;
  // InputError unless the file has one line per pair.
  void check_lines(std::int64_t pairs) const;

 private:
  GuideFile file_;
  std::vector<alignment::Alignment> lines_;
};

}  // namespace heed::data
