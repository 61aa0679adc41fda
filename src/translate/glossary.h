// A glossary: terms and how they are to be translated. Reading takes linear time, and so does finding the terms of a
// sentence, however large the glossary is. Immutable, thread-safe.
//
// Files, recognized by their names or contents:
//   TSV  a term, a tab and its translation per line; more columns hold rules: exact, any, prefer
//   CSV  the same with commas or semicolons, and quotes (names that end in .csv)
//   TBX  the terms of two languages (XML)
// A term without a translation, or with itself as one, is kept as it is written. A first line "source, target" is
// skipped.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "translate/terms.h"

namespace heed::translate {

// How a word of a term is found in a sentence.
enum class GlossaryMatch : std::uint8_t { exact, inflected };
std::vector<std::string> enum_names(GlossaryMatch);
std::vector<std::string> enum_about(GlossaryMatch);

struct GlossaryEntry {
  std::string source;
  std::string target;       // empty: the source as it is written
  bool exact_case = false;  // only matches text in upper and lower case like `source`
  bool preferred = false;   // not required
  std::int64_t line = 0;    // of the file
};

struct GlossaryOptions {
  GlossaryMatch match = GlossaryMatch::exact;
  // For files that name their languages; empty: the first two of the file.
  std::string source_language = {}, target_language = {};
};

// The entries of a file in its order. InputError with file and line for what is not one.
std::vector<GlossaryEntry> read_glossary(const std::string& path, const GlossaryOptions& options);

class Glossary {
 public:
  // `name` is for messages. InputError for a source without words and for one with two different targets.
  explicit Glossary(std::vector<GlossaryEntry> entries, GlossaryMatch match = GlossaryMatch::exact,
                    std::string_view name = "the glossary");
  static Glossary read(const std::string& path, const GlossaryOptions& options) {
    return Glossary(read_glossary(path, options), options.match, path);
  }

  std::size_t size() const { return entries_.size(); }

  // The terms of a sentence, in order and without overlaps: at each word the longest that begins there. An entry that
  // demands the case of the sentence goes before one that does not, an exact match before an inflected one.
  std::vector<Term> find(std::string_view sentence) const;

 private:
  // A word, or another character that is not a space.
  struct Word {
    text::Span span;
    std::u32string folded;  // in lower case
  };
  struct Node {
    int first = -1;  // entry that ends here, and by next_ further ones
  };
  struct Match {
    int entry = -1;
    std::size_t words = 0;
  };

  static std::vector<Word> split(std::u32string_view text);
  void add(std::size_t entry, std::string_view name);
  void add_stems(const std::u32string& word, int id);
  std::vector<int> ids_of(const std::u32string& word) const;
  int child(int node, int word) const;
  int accepted(int node, std::u32string_view sentence, std::span<const Word> words) const;
  Match longest(std::u32string_view sentence, std::span<const Word> words, std::span<const std::vector<int>> ids) const;
  Term make_term(const GlossaryEntry& entry, std::u32string_view sentence, const text::Span& span) const;

  std::vector<GlossaryEntry> entries_;
  GlossaryMatch match_;
  std::vector<int> next_;                                       // by entry: another with the same words; -1: none
  std::unordered_map<std::u32string, int> words_;               // ids of folded words
  std::vector<std::u32string> texts_;                           // by id
  std::unordered_map<std::u32string, std::vector<int>> stems_;  // inflected: words by their possible stems
  std::unordered_map<std::uint64_t, int> children_;             // nodes by parent and word
  std::vector<Node> nodes_ = std::vector<Node>(1);              // a trie; the first is the root
};

}  // namespace heed::translate
