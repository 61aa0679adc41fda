// Words and their ids, special symbols included.
//
// The file (and the string in a model file) is one word per line: the first line is id 0. Only three characters are
// written in another way: a line feed as \n, a carriage return as \r, a backslash as \\; spaces and tabs stand as they
// are. A backslash before anything else is read as itself, so lists from elsewhere mostly read as they are.
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

// What the special symbols are called; an empty name: the vocabulary has none of that kind.
struct SpecialNames {
  std::string pad = "<pad>";
  std::string sos = "<sos>";
  std::string eos = "<eos>";
  std::string unk = "<unk>";
};

// Where the special symbols are; -1: nowhere.
struct SpecialIds {
  TokenId pad = -1;
  TokenId sos = -1;
  TokenId eos = -1;
  TokenId unk = -1;
  bool operator==(const SpecialIds&) const = default;
};

// Finds a std::string by a view of one.
struct WordHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>{}(word); }
};
template <class Value>
using WordMap = std::unordered_map<std::string, Value, WordHash, std::equal_to<>>;

class Vocabulary {
 public:
  Vocabulary() = default;
  // Words by id. Ids out of range and words that occur twice are InputErrors; `name` says whose words they are.
  Vocabulary(std::vector<std::string> words, const SpecialIds& special, std::string_view name = "the vocabulary");

  // Reads what serialize() wrote; trusts none of it. A repeated or empty line, bad UTF-8, a missing special symbol are
  // InputErrors that name the file and line.
  static Vocabulary parse(std::string_view contents, const SpecialNames& special, std::string_view name);
  // The same if the special symbols are known by their ids.
  static Vocabulary parse_lines(std::string_view contents, const SpecialIds& special, std::string_view name);
  std::string serialize() const;

  bool operator==(const Vocabulary& other) const { return words_ == other.words_ && special_ == other.special_; }

  std::int64_t size() const { return static_cast<std::int64_t>(words_.size()); }
  const SpecialIds& special() const { return special_; }
  bool is_special(TokenId id) const;

  // A word of text: the id of the unknown symbol if the word is not there (-1 if there is no such symbol either).
  // Text cannot name a special symbol: "<eos>" in a sentence is an unknown word.
  TokenId id(std::string_view word) const;
  std::vector<TokenId> ids(std::span<const std::string> words) const;
  // The word of an id: a ShapeError if there is none.
  const std::string& word(TokenId id) const;
  // Back to words, special symbols but the unknown one left out.
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
};

// Counts words, of one side or of both (a shared vocabulary), and builds from the counts: special symbols first (pad,
// sos, eos, unk), then the most frequent words, the first seen first among equals. One thread at a time.
class VocabularyBuilder {
 public:
  void add(std::string_view word, std::int64_t count = 1);
  void add(std::span<const std::string> words);
  std::int64_t distinct() const { return static_cast<std::int64_t>(counts_.size()); }
  std::int64_t total() const { return total_; }

  // A maximum size without room for a word, or special symbols of the same name, are UsageErrors.
  Vocabulary build(const VocabularyOptions& options) const;

 private:
  struct Count {
    std::int64_t count = 0;
    std::int64_t first_seen = 0;
  };
  WordMap<Count> counts_;
  std::int64_t total_ = 0;
};

// A vocabulary of a closed set (subwords), in the order given, special symbols in front.
Vocabulary closed_vocabulary(std::span<const std::string> words, const SpecialNames& special);

}  // namespace heed::text
