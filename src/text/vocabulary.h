// Words and their ids, special symbols included.
//
// As text (in a model file) a vocabulary has one word per line; the first line is id 0. Three characters are escaped: a
// line feed as \n, a carriage return as \r, a backslash as \\. A backslash before any other character stands for
// itself, so that word lists from other programs can usually be read unchanged.
//
// A Vocabulary is immutable: use one from any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed::text {

using TokenId = std::int32_t;

// The names of the special symbols; if a name is empty, the vocabulary does not have that symbol.
struct SpecialNames {
  std::string pad = "<pad>";
  std::string sos = "<sos>";
  std::string eos = "<eos>";
  std::string unk = "<unk>";
};

// The ids of the special symbols; -1: the vocabulary does not have that symbol.
struct SpecialIds {
  TokenId pad = -1;
  TokenId sos = -1;
  TokenId eos = -1;
  TokenId unk = -1;
  bool operator==(const SpecialIds&) const = default;
};

// A hash table of words that can be searched with a string_view.
struct WordHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>{}(word); }
};
template <class Value>
using WordMap = std::unordered_map<std::string, Value, WordHash, std::equal_to<>>;

class Vocabulary {
 public:
  Vocabulary() = default;
  // Words by id. Ids out of range and repeated words are InputErrors; their messages begin with `name`.
  Vocabulary(std::vector<std::string> words, const SpecialIds& special, std::string_view name = "the vocabulary");

  // Reads the output of serialize(). A repeated or empty line and invalid UTF-8 are InputErrors with `name` and the
  // line.
  static Vocabulary parse(std::string_view contents, const SpecialIds& special, std::string_view name);
  std::string serialize() const;

  bool operator==(const Vocabulary& other) const { return words_ == other.words_ && special_ == other.special_; }

  std::int64_t size() const { return static_cast<std::int64_t>(words_.size()); }
  const SpecialIds& special() const { return special_; }
  bool is_special(TokenId id) const;
  // Whether the word is an entry, perhaps a special symbol.
  bool contains(std::string_view word) const { return ids_.contains(word); }

  // The id of a word of text; for an unknown word the id of the unknown symbol, or -1 if there is no such symbol. Text
  // cannot contain special symbols: "<eos>" in a sentence is an unknown word.
  TokenId id(std::string_view word) const;
  // ShapeError if the id is out of range.
  const std::string& word(TokenId id) const;
  // The words of the ids, without special symbols other than the unknown one.
  std::vector<std::string> words(std::span<const TokenId> ids) const;

 private:
  std::vector<std::string> words_;
  WordMap<TokenId> ids_;
  SpecialIds special_;
};

struct VocabularyOptions {
  std::int64_t minimum_frequency = 1;
  std::int64_t maximum_size = 0;  // special symbols included; 0: no limit
  SpecialNames special = {};
  // An existing vocabulary, to which at most `maximum_new` words are added; of the others, only minimum_frequency
  // applies.
  const Vocabulary* base = nullptr;
  std::int64_t maximum_new = 0;
};

// Counts words, of one side or of both (a shared vocabulary), and builds a vocabulary: special symbols first (pad, sos,
// eos, unk), then the words by decreasing frequency; equally frequent words are in the order in which they were added.
// Not thread-safe.
class VocabularyBuilder {
 public:
  void add(std::string_view word, std::int64_t count = 1);

  // UsageError if the maximum size leaves no room for words, or if two special symbols have the same name.
  Vocabulary build(const VocabularyOptions& options) const;

 private:
  Vocabulary extend(const VocabularyOptions& options) const;
  // The words that pass the test and are frequent enough, by decreasing frequency; at most `most`.
  std::vector<std::string> most_frequent(std::int64_t minimum_frequency, std::size_t most,
                                         const std::function<bool(const std::string& word)>& wanted) const;

  struct Count {
    std::int64_t count = 0;
    std::size_t order = 0;  // of the first occurrence
  };
  WordMap<Count> counts_;
};

// A vocabulary of a closed set of words (subwords): special symbols first, then the words in their order.
Vocabulary closed_vocabulary(std::span<const std::string> words, const SpecialNames& special);

}  // namespace heed::text
