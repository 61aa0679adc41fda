#include "text/tokenizer.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/enum_names.h"
#include "text/subwords.h"
#include "text/words.h"

namespace heed::text {

namespace {

// The longest runs of characters that `belongs` takes.
template <class Belongs>
std::vector<Token> runs(const MappedText& line, Belongs belongs) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t from = i;
    while (i < line.size() && belongs(line[i])) ++i;
    if (i > from) tokens.push_back(make_token(line, from, i));
    if (i < line.size()) ++i;
  }
  return tokens;
}

std::vector<Token> split_at_whitespace(const MappedText& line) {
  return runs(line, [&classes = CharacterClasses::get()](char32_t c) { return !classes.is(c, kSpace); });
}

// Between white space, as Python's split() has it.
class WhitespaceTokenizer : public Tokenizer {
  using Tokenizer::Tokenizer;

 protected:
  std::vector<Token> split(const MappedText& line) const override { return split_at_whitespace(line); }
};

// The matches of \w+: letters, numbers and the underscore.
class WordCharacterTokenizer : public Tokenizer {
  using Tokenizer::Tokenizer;

 protected:
  std::vector<Token> split(const MappedText& line) const override {
    return runs(line, [&classes = CharacterClasses::get()](char32_t c) {
      return c == '_' || classes.is(c, kLetter | kNumber);
    });
  }
};

// One token a character. A space would vanish among the spaces between tokens, so it is shown as U+2581, as
// SentencePiece does; a U+2581 in the text comes back as a space.
class CharacterTokenizer : public Tokenizer {
  using Tokenizer::Tokenizer;

 public:
  std::string detokenize(std::span<const std::string> tokens) const override {
    std::string line;
    for (const std::string& token : tokens) line += token == kShownSpace ? " " : token;
    return line;
  }

 protected:
  std::vector<Token> split(const MappedText& line) const override {
    std::vector<Token> tokens;
    tokens.reserve(line.size());
    for (std::size_t i = 0; i < line.size(); ++i) {
      tokens.push_back(make_token(line, i, i + 1));
      if (line[i] == ' ') tokens.back().text = kShownSpace;
    }
    return tokens;
  }

 private:
  static constexpr std::string_view kShownSpace = "\u2581";
};

template <class Kind>
std::unique_ptr<Tokenizer> make(const TokenizerOptions& options) {
  return std::make_unique<Kind>(options);
}

constexpr TokenizerKind kKinds[] = {
    {"whitespace", "what stands between white space", make<WhitespaceTokenizer>},
    {"word-characters", "runs of letters, numbers and underscores; the rest is dropped", make<WordCharacterTokenizer>},
    {"words", "words and punctuation by each language's rules, as Moses' tokenizer.perl", make<WordTokenizer>},
    {"characters", "every character, a space shown as \u2581", make<CharacterTokenizer>},
    {"sentencepiece", "subwords of a model trained by heed (BPE or unigram)", make<SubwordTokenizer>},
};

}  // namespace

std::vector<Token> Tokenizer::tokenize(std::string_view line) const {
  MappedText text(line);
  normalizer_.apply(text);
  return split(text);
}

std::vector<Token> Tokenizer::sample(std::string_view line, const SubwordSampling& sampling) const {
  MappedText text(line);
  normalizer_.apply(text);
  return sampling.alpha > 0 ? split_sampled(text, sampling) : split(text);
}

std::string Tokenizer::detokenize(std::span<const std::string> tokens) const {
  return fmt::format("{}", fmt::join(tokens, " "));
}

std::span<const TokenizerKind> tokenizer_kinds() {
  return kKinds;
}

std::unique_ptr<Tokenizer> make_tokenizer(const TokenizerOptions& options) {
  for (const TokenizerKind& kind : kKinds) {
    if (kind.name == options.kind) return kind.make(options);
  }
  throw UsageError("there is no tokenizer '{}'; the tokenizers are {}", options.kind,
                   fmt::join(row_names(kKinds), ", "));
}

std::vector<Token> whitespace_words(std::string_view text) {
  return split_at_whitespace(MappedText(text));
}

Token make_token(const MappedText& line, std::size_t from, std::size_t to) {
  Token token{{}, line.cover(from, to)};
  for (std::size_t i = from; i < to; ++i) append_utf8(token.text, line[i]);
  return token;
}

bool Tokenizer::same_words(std::string_view a, std::string_view b) const {
  return a == b || std::ranges::equal(tokenize(a), tokenize(b), {}, &Token::text, &Token::text);
}

std::vector<std::string> token_texts(std::span<const Token> tokens) {
  std::vector<std::string> texts;
  texts.reserve(tokens.size());
  for (const Token& token : tokens) texts.push_back(token.text);
  return texts;
}

}  // namespace heed::text
