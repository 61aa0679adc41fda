// Word alignments of a training corpus as what attention should be (guided alignment): links between words, spread over
// the tokens that a model reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "alignment/links.h"
#include "tensor/guide.h"
#include "text/tokenizer.h"

namespace heed::data {

// One list per pair, by target token. Read from any number of threads once it is filled.
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

// Where the links are and what they count as words, which need not be what the model reads as tokens.
struct GuideFile {
  std::string path = {};
  const text::Tokenizer *source_words = nullptr, *target_words = nullptr;
  bool shift = false;  // a word's links are for the step after it
};

// A file of links, one line per pair, and its lines as guides.
class GuideReader {
 public:
  // The whole file is read, 12 bytes a link. InputError for a malformed link, with file and line.
  explicit GuideReader(const GuideFile& file);

  // The guides of the pair in line `line`, counted from 1: each token of a target word with links gets equal shares of
  // all tokens of the source words it is linked to, at its own row or the next; a token of a word without links gets
  // none. InputError if the file has no such line, or a link in it names a word that the texts do not have.
  std::vector<Guide> guides(std::int64_t line, std::string_view source_text, std::string_view target_text,
                            std::span<const text::Token> source, std::span<const text::Token> target) const;
  // InputError if the corpus had another number of pairs.
  void check_lines(std::int64_t pairs) const;

 private:
  GuideFile file_;
  std::vector<alignment::Alignment> lines_;
};

}  // namespace heed::data
