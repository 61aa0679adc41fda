// A glossary: terms and how to translate them. Reading takes linear time, and so does finding the terms of a sentence,
// however large the glossary is. Immutable, thread-safe.
//
// File formats, recognized by name or content:
//   TSV  a term, a tab and its translation per line; further columns hold rules: exact, any, prefer
//   CSV  the same with commas or semicolons, and quotes (names that end in .csv, and files without tabs in which every
//        line has a separator that is not followed by a space)
//   TBX  XML with terms in two or more languages
// A term without a translation, or whose translation is the term itself, is kept as it is. A first line "source,
// target" is skipped.
#pragma once

#include <algorithm>
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
  std::string target;       // empty: the source is kept as it is
  bool exact_case = false;  // matches only text in the same case as `source`
  bool preferred = false;   // the translation may lack it
  std::int64_t line = 0;    // in the file
};

struct GlossaryOptions {
  GlossaryMatch match = GlossaryMatch::exact;
  // For files that name their languages: TBX, and tables with a header. Unless both are set, TBX must have exactly two.
  std::string source_language = {}, target_language = {};
};

// The entries of a file, in order. InputError with file and line for a malformed entry.
std::vector<GlossaryEntry> read_glossary(const std::string& path, const GlossaryOptions& options);

class Glossary {
 public:
  // InputError for a source without words, with more than 100, or with two different targets. `name` is used in
  // messages.
  explicit Glossary(std::vector<GlossaryEntry> entries, GlossaryMatch match = GlossaryMatch::exact,
                    std::string_view name = "the glossary");
  static Glossary read(const std::string& path, const GlossaryOptions& options) {
    return Glossary(read_glossary(path, options), options.match, path);
  }

  std::size_t size() const { return entries_.size(); }
  // Whether any term has a translation; if none has, all are kept as they are.
  bool translates() const {
    return std::ranges::any_of(entries_, [](const GlossaryEntry& entry) { return !entry.target.empty(); });
  }

  // The terms of a sentence, in order and without overlaps: at each word, the longest that begins there. Entries with
  // `exact_case` take precedence over others, and exact matches over inflected ones.
  std::vector<Term> find(std::string_view sentence) const;

 private:
  // A word or a single symbol.
  struct Word {
    text::Span span;
    std::u32string folded;  // in lower case
  };
  struct Node {
    int first = -1;  // first entry that ends here; next_ links the others
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
  std::vector<int> next_;                                       // by entry: the next with the same words; -1: none
  std::unordered_map<std::u32string, int> words_;               // ids of folded words
  std::vector<std::u32string> texts_;                           // folded words by id
  std::unordered_map<std::u32string, std::vector<int>> stems_;  // if inflected: word ids by possible stem
  std::unordered_map<std::uint64_t, int> children_;             // nodes by parent node and word id
  std::vector<Node> nodes_ = std::vector<Node>(1);              // a trie; the first is the root
};

}  // namespace heed::translate
