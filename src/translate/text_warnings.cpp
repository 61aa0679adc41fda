#include "translate/text_warnings.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/utf8.h"
#include "text/letter_case.h"
#include "text/spans.h"

namespace heed::translate {
namespace {

// The digits of a number in any script, as ASCII digits; empty for a word that begins with a letter.
std::string digits_of(std::string_view word) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  std::string digits;
  for (const char32_t c : text::decode_utf8(word)) {
    if (const int value = text::digit_value(c); value >= 0) digits += static_cast<char>('0' + value);
    if (digits.empty() && classes.is(c, text::kLetter)) break;
  }
  return digits;
}

class SentenceWarnings {
 public:
  SentenceWarnings(LineResult& result, std::string_view sentence, const TextPipeline& pipeline)
      : result_(result),
        best_(result.best()),
        pipeline_(pipeline),
        source_(text::whitespace_words(sentence)),
        target_(text::whitespace_words(best_.text)) {}

  void add_unknown() {
    const text::TokenId unknown = pipeline_.source().special().unk;
    const std::vector<text::Token>& tokens = best_.attention.source;
    const std::size_t count = tokens.size() - (best_.attention.source_end ? 1 : 0);
    const auto words = words_of_tokens(std::span(tokens).first(count), source_);
    std::set<std::size_t> found;
    for (std::size_t t = 0; t < count && unknown >= 0 && !source_.empty(); ++t)
      if (!tokens[t].text.empty() && pipeline_.source().id(tokens[t].text) == unknown && !is_kept(tokens[t].span))
        found.insert(words[t].begin(), words[t].end());
    for (const std::size_t word : found) add(Warning::Kind::unknown, source_[word]);
  }

  // Skips protected numbers, which the translation always has.
  void add_numbers(const text::SpelledNumbers* numbers) {
    std::multiset<std::string> written;
    for (const text::Token& word : target_) written.insert(digits_of(word.text));
    for (const text::Token& word : source_) {
      const std::string number = digits_of(word.text);
      if (number.empty() || is_kept(word.span)) continue;
      const auto same = written.find(number);
      if (same != written.end())
        written.erase(same);
      else if (!is_spelled(number, numbers))
        add(Warning::Kind::number, word);
    }
  }

  // The longest run of source words that the translation has too, if it is long enough.
  void add_untranslated() {
    std::size_t length = 0, end = 0;
    std::vector<std::size_t> run(target_.size() + 1), before(target_.size() + 1);
    if (source_.size() > kMostWords || target_.size() > kMostWords) return;
    for (std::size_t s = 0; s < source_.size(); ++s) {
      for (std::size_t t = 0; t < target_.size(); ++t) {
        run[t + 1] = source_[s].text == target_[t].text ? before[t] + 1 : 0;
        if (run[t + 1] > length) length = run[t + 1], end = s + 1;
      }
      run.swap(before);
    }
    if (length < kUntranslated) return;
    const auto words = std::span(source_).subspan(end - length, length);
    const auto is_plain = [](const text::Token& word) {
      return text::is_lower_case(text::decode_utf8(word.text).front());
    };
    if (std::ranges::count_if(words, is_plain) >= 2) add(Warning::Kind::untranslated, words);
  }

  void add_confidence() {
    const std::vector<text::Token>& tokens = best_.attention.target;
    const std::size_t count = tokens.size() - (best_.attention.target_end ? 1 : 0);
    if (target_.empty() || best_.probabilities.size() != tokens.size()) return;
    double sum = 0;
    for (const float p : best_.probabilities) sum += std::log(std::max(static_cast<double>(p), 1e-30));
    if (std::exp(sum / static_cast<double>(tokens.size())) < kLowConfidence)
      return add(Warning::Kind::low_confidence, target_);
    const auto words = words_of_tokens(std::span(tokens).first(count), target_);
    std::vector<double> confidences(target_.size(), 1);
    for (std::size_t t = 0; t < count; ++t)
      for (const std::size_t word : words[t]) confidences[word] *= static_cast<double>(best_.probabilities[t]);
    for (std::size_t from = 0, to = 0; from < target_.size(); from = to + 1) {
      for (to = from; to < target_.size() && confidences[to] < kLowWordConfidence;) ++to;
      if (to > from) add(Warning::Kind::low_confidence, std::span(target_).subspan(from, to - from));
    }
  }

  void add_length() {
    const text::AttentionMatrix& map = best_.attention;
    const auto source = static_cast<double>(map.source.size() - (map.source_end ? 1 : 0));
    const auto target = static_cast<double>(map.target.size() - (map.target_end ? 1 : 0));
    const bool is_cut = result_.chunks.empty() && !map.target.empty() && !map.target_end;
    if (target > kTooLong * source + 5 || is_cut)
      add(Warning::Kind::too_long, target_);
    else if (source >= 6 && target < kTooShort * source)
      add(Warning::Kind::too_short, target_);
  }

 private:
  static constexpr std::size_t kMostWords = 1000;  // per side, because every word is compared with every other

  bool is_kept(const text::Span& span) const {
    return std::ranges::any_of(best_.kept, [&](const KeptSpan& kept) { return text::overlap(kept.source, span); });
  }

  bool is_spelled(const std::string& number, const text::SpelledNumbers* numbers) const {
    if (numbers == nullptr || number.size() > 2) return false;
    return std::ranges::any_of(target_,
                               [&](const text::Token& word) { return numbers->spells(word.text, std::stoi(number)); });
  }

  void add(Warning::Kind kind, const text::Token& word) { add(kind, std::span(&word, 1)); }
  void add(Warning::Kind kind, std::span<const text::Token> words) {
    if (words.empty()) return result_.warnings.push_back({kind, "", {}});
    std::string text;
    for (const text::Token& word : words) {
      if (!text.empty()) text += ' ';
      text += word.text;
    }
    result_.warnings.push_back({kind, text, {words.front().span.from, words.back().span.to}});
  }

  LineResult& result_;
  const Translation& best_;
  const TextPipeline& pipeline_;
  std::vector<text::Token> source_, target_;  // words
};

}  // namespace

void add_text_warnings(LineResult& result, std::string_view sentence, const TextPipeline& pipeline,
                       const text::SpelledNumbers* numbers) {
  if (!result.done()) return;
  SentenceWarnings warnings(result, sentence, pipeline);
  warnings.add_unknown();
  warnings.add_numbers(numbers);
  warnings.add_untranslated();
  warnings.add_confidence();
  warnings.add_length();
}

}  // namespace heed::translate
