// From a line to tokens and back: one interface for every kind, and one table of the kinds. A Tokenizer is immutable
// and may be used from any number of threads. It never throws: invalid UTF-8 is read as U+FFFD (count it with
// check_utf8 if it matters). Every kind takes linear time on every input.
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

// What a model file stores so that text is tokenized as in training.
struct TokenizerOptions {
  std::string kind = "words";
  std::string language = "";                // two letters; if empty or unknown, the general rules apply
  std::vector<std::string> normalize = {};  // steps before tokenizing, in this order: see normalize.h
  bool split_hyphens = false;               // `words`: well-known becomes well @-@ known (Moses' aggressive mode)
  std::string subword_model = "";           // `sentencepiece`: a trained model, as train_subwords() returns it
};

// Subword regularization: draws a random segmentation of each sentence in training (Kudo 2018 for unigram models,
// Provilkov et al. 2020 for BPE). The result depends only on the line, alpha and `random`, on any thread.
struct SubwordSampling {
  // Unigram: a segmentation is drawn with probability proportional to exp(alpha * score), so that a smaller alpha gives
  // more variation; 0.1 to 0.5 is usual. BPE: each merge is skipped with probability alpha; 0.1 is usual. 0: the best
  // segmentation, without sampling.
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
  // A random segmentation; the same as tokenize() for kinds that have only one.
  std::vector<Token> sample(std::string_view line, const SubwordSampling& sampling) const;

  // Whether two lines have the same tokens, and so differ at most in spacing and in what normalization removes.
  bool same_words(std::string_view a, std::string_view b) const;

  // The text that the tokens most likely came from.
  virtual std::string detokenize(std::span<const std::string> tokens) const;

  // Every possible token, if they are a closed set (subwords); otherwise empty.
  virtual std::vector<std::string> closed_vocabulary() const { return {}; }

 protected:
  virtual std::vector<Token> split(const MappedText& line) const = 0;
  virtual std::vector<Token> split_sampled(const MappedText& line, const SubwordSampling&) const { return split(line); }

 private:
  Normalizer normalizer_;
};

struct TokenizerKind {
  std::string_view name;
  std::unique_ptr<Tokenizer> (*make)(const TokenizerOptions& options);
  std::string_view about;  // one line
};

// The one table of kinds.
std::span<const TokenizerKind> tokenizer_kinds();
// An unknown kind is a UsageError that lists the known ones; a subword model that cannot be read is an InputError.
std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerOptions& options);

// The words of a text, separated by white space: the tokens of the `whitespace` tokenizer.
std::vector<Token> whitespace_words(std::string_view text);

// Characters [from, to) of `line` as a token.
Token make_token(const MappedText& line, std::size_t from, std::size_t to);
// U+2581, which stands for a space inside a token. join_shown_spaces() concatenates tokens and turns it back into
// spaces.
inline constexpr char32_t kShownSpace = 0x2581;
std::string join_shown_spaces(std::span<const std::string> tokens);
// The texts without the spans.
std::vector<std::string> token_texts(std::span<const Token> tokens);

}  // namespace heed::text
