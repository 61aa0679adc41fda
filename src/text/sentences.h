// Splits text into sentences at the boundaries that ICU's rules for the language find, except those that abbreviations,
// initials, ordinal numbers or the text that follows rule out.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

// Bytes [from, to) of a text.
struct ByteRange {
  std::size_t from = 0;
  std::size_t to = 0;
  bool operator==(const ByteRange&) const = default;

  std::string_view of(std::string_view text) const { return text.substr(from, to - from); }
};

// One per thread. Takes linear time on every input.
class SentenceSplitter {
 public:
  // `language`: a tag such as "de"; if empty or unknown, the general rules apply.
  explicit SentenceSplitter(std::string_view language);
  ~SentenceSplitter();
  SentenceSplitter(SentenceSplitter&&) noexcept;
  SentenceSplitter& operator=(SentenceSplitter&&) noexcept;

  // The sentences of valid UTF-8, in order, each without the white space around it. Everything outside the sentences is
  // white space, so that nothing is lost.
  std::vector<ByteRange> split(std::string_view text);

 private:
  struct Rules;

  std::vector<std::size_t> candidates(std::string_view text);
  bool is_end(std::string_view before, std::string_view after) const;

  std::string language_;
  std::unique_ptr<Rules> rules_;  // created when a text first needs them
};

}  // namespace heed::text
