#include "text/tokenizer.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest.h"
#include "text/subwords.h"
#include "text/words.h"

namespace heed::text {

namespace {

using Test = bool (*)(char32_t c, const CharacterClasses& classes);

// Words are separated as by Python's split().
bool is_not_space(char32_t c, const CharacterClasses& classes) {
  return !classes.is(c, kSpace);
}

// \w: letters, numbers and the underscore.
bool is_word_character(char32_t c, const CharacterClasses& classes) {
  return c == '_' || classes.is(c, kLetter | kNumber);
}

// The longest runs of characters that satisfy the test.
template <Test test>
std::vector<Token> runs(const MappedText& line) {
  const CharacterClasses& classes = CharacterClasses::get();
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t from = i;
    while (i < line.size() && test(line[i], classes)) ++i;
    if (i > from) tokens.push_back(make_token(line, from, i));
  }
  return tokens;
}

template <Test test>
class RunTokenizer : public Tokenizer {
  using Tokenizer::Tokenizer;

 protected:
  std::vector<Token> split(const MappedText& line) const override { return runs<test>(line); }
};

// One token per character. A space would be lost among the spaces between tokens, so it is shown as U+2581, as
// SentencePiece does; a U+2581 in the text comes back as a space.
class CharacterTokenizer : public Tokenizer {
  using Tokenizer::Tokenizer;

 public:
  std::string detokenize(std::span<const std::string> tokens) const override { return join_shown_spaces(tokens); }

 protected:
  std::vector<Token> split(const MappedText& line) const override {
    std::vector<Token> tokens;
    tokens.reserve(line.size());
    for (std::size_t i = 0; i < line.size(); ++i) {
      tokens.push_back(make_token(line, i, i + 1));
      if (line[i] == ' ') tokens.back().text = "\u2581";
    }
    return tokens;
  }
};

template <class Kind>
std::unique_ptr<Tokenizer> make(const TokenizerOptions& options) {
  return std::make_unique<Kind>(options);
}

constexpr TokenizerKind kKinds[] = {
    {"whitespace", make<RunTokenizer<is_not_space>>, "words separated by white space"},
    {"word-characters", make<RunTokenizer<is_word_character>>, "runs of letters and digits; drops everything else"},
    {"words", make<WordTokenizer>, "words and punctuation by the rules of the language, as Moses does"},
    {"characters", make<CharacterTokenizer>, "single characters; a space is shown as \u2581"},
    {"sentencepiece", make_subword_tokenizer, "subwords of a trained model, BPE or unigram"},
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
  return find_row(kKinds, options.kind, "there is no tokenizer").make(options);
}

std::vector<Token> whitespace_words(std::string_view text) {
  return runs<is_not_space>(MappedText(text));
}

Token make_token(const MappedText& line, std::size_t from, std::size_t to) {
  Token token{{}, line.cover(from, to)};
  for (std::size_t i = from; i < to; ++i) append_utf8(token.text, line[i]);
  return token;
}

bool Tokenizer::same_words(std::string_view a, std::string_view b) const {
  return a == b || std::ranges::equal(tokenize(a), tokenize(b), {}, &Token::text, &Token::text);
}

std::string join_shown_spaces(std::span<const std::string> tokens) {
  std::u32string line = decode_utf8(fmt::format("{}", fmt::join(tokens, "")));
  std::ranges::replace(line, kShownSpace, U' ');
  return encode_utf8(line);
}

std::vector<std::string> token_texts(std::span<const Token> tokens) {
  std::vector<std::string> texts;
  texts.reserve(tokens.size());
  for (const Token& token : tokens) texts.push_back(token.text);
  return texts;
}

}  // namespace heed::text
