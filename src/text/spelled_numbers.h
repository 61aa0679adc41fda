// Whole numbers in words, as ICU spells them: "vier", "eine", "einen" in German.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace heed::text {

// Gets the words from ICU on first use, which takes milliseconds. Thread-safe.
class SpelledNumbers {
 public:
  static constexpr int kLargest = 99;

  // `language`: a tag such as "de". If ICU cannot spell numbers in it, there are no words.
  explicit SpelledNumbers(std::string language) : language_(std::move(language)) {}

  // Whether the word, in upper or lower case, is a cardinal or ordinal form of the number.
  bool spells(std::string_view word, int number) const;

 private:
  void spell() const;

  std::string language_;
  mutable std::once_flag spelled_;
  mutable std::unordered_multimap<std::string, int> numbers_;
};

}  // namespace heed::text
