// From a line to tokens and back. One interface for every kind; which kinds there are stands in one table.
// A Tokenizer is immutable and may be used from any number of threads. No input makes one throw: bad UTF-8 is read as
// U+FFFD (count it with check_utf8 if it matters), and every kind takes linear time on every input.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "text/normalize.h"
#include "text/unicode.h"

namespace heed::text {

struct Token {
  std::string text;
  Span span;  // the characters of the original line (before any normalization) that the token stands for
};

// What a model file needs to remember to tokenize as it was trained.
struct TokenizerOptions {
  std::string kind = "words";
  std::string language = "";                // two letters; empty or unknown: the general rules
  std::vector<std::string> normalize = {};  // steps before tokenizing, in order: see normalize.h
  bool split_hyphens = false;               // `words`: well-known becomes well @-@ known (Moses' aggressive mode)
  std::string subword_model = "";           // `sentencepiece`: a trained model, as train_subwords() returns it
};

// Draws another segmentation for each sentence while training (Kudo 2018 for unigram models, Provilkov et al. 2020 for
// BPE). `random` decides and nothing else: the same generator gives the same pieces, on any thread.
struct SubwordSampling {
  // Unigram: a segmentation is drawn in proportion to exp(alpha * its score), so less is wilder; 0.1 to 0.5 is usual.
  // BPE: each merge is left out with probability alpha; 0.1 is usual. 0: the best segmentation, nothing drawn.
  float alpha = 0;
  Random random;
};

class Tokenizer {
 public:
  explicit Tokenizer(const TokenizerOptions& options) : normalizer_(options.normalize, options.language) {}
  virtual ~Tokenizer() = default;
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  std::vector<Token> tokenize(std::string_view line) const;
  // The same for a kind that has one segmentation only.
  std::vector<Token> sample(std::string_view line, const SubwordSampling& sampling) const;

  // Whether two lines are the same words, however they are spaced or written before normalization.
  bool same_words(std::string_view a, std::string_view b) const;

  // The text that the tokens most likely came from. Only their texts are looked at.
  virtual std::string detokenize(std::span<const std::string> tokens) const;

  // Every token the kind can make, if that is a closed set (subwords); otherwise empty.
  virtual std::vector<std::string> closed_vocabulary() const { return {}; }

 protected:
  virtual std::vector<Token> split(const MappedText& line) const = 0;
  virtual std::vector<Token> split_sampled(const MappedText& line, const SubwordSampling&) const { return split(line); }

 private:
  Normalizer normalizer_;
};

struct TokenizerKind {
  std::string_view name;
  std::string_view summary;  // one line for help texts
  std::unique_ptr<Tokenizer> (*make)(const TokenizerOptions& options);
};

// The one table of kinds.
std::span<const TokenizerKind> tokenizer_kinds();
// An unknown kind is a UsageError that lists the known ones; a subword model that cannot be read is an InputError.
std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerOptions& options);

// The words between white space: what the `whitespace` tokenizer makes of the text.
std::vector<Token> whitespace_words(std::string_view text);

// Characters [from, to) of `line` as a token.
Token make_token(const MappedText& line, std::size_t from, std::size_t to);
// Only the texts, for vocabularies and detokenizing.
std::vector<std::string> token_texts(std::span<const Token> tokens);

}  // namespace heed::text
