// Detects which of a server's source languages a text is written in, using the library cld2. It is loaded at run time,
// only by a server with several source languages, so that nothing else depends on it. Immutable, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::serve {

struct DetectedLanguage {
  std::string code;
  // How much of the text is in this language, in percent; half of that if the text is too short or too ambiguous to be
  // sure, and a quarter if it looks like a language that the server does not have. 0: the text gives no clue, for
  // example because it is a number.
  double confidence = 0;
  bool operator==(const DetectedLanguage&) const = default;
};

class LanguageDetector {
 public:
  // The languages to choose from, at least one. If there is only one, nothing is detected.
  explicit LanguageDetector(std::vector<std::string> codes);

  const std::vector<std::string>& codes() const { return codes_; }
  // Why languages cannot be detected; empty if they can.
  const std::string& problem() const { return problem_; }
  // One to three languages, best first. Looks at the first 64 KB. `is_html`: ignore tags. InputError if there is a
  // problem().
  std::vector<DetectedLanguage> detect(std::string_view text, bool is_html = false) const;

 private:
  // Only what cld2 is sure of; its best guess; its best guess if told to expect our languages.
  enum class Mode { careful, guess, prefer };
  std::vector<DetectedLanguage> run_cld2(const std::string& text, bool is_html, Mode mode) const;

  std::vector<std::string> codes_;
  std::string hint_;  // our languages in the codes of cld2
  std::string problem_;
};

}  // namespace heed::serve
