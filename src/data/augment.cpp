#include "data/augment.h"

#include <algorithm>

#include "base/enum_names.h"
#include "text/letter_case.h"
#include "text/unicode.h"

namespace heed::data {
namespace {

struct NoiseRow {
  Noise value;
  std::string_view name;
};
constexpr NoiseRow kNoises[] = {
    {Noise::upper, "upper"}, {Noise::title, "title"}, {Noise::typos, "typos"}, {Noise::punctuation, "punctuation"}};
static_assert(rows_in_order(kNoises));

// Of a Random: the decision for the pair, the kind, and what a kind itself draws.
enum Position : std::uint64_t { kDecision, kKind, kFirst };

constexpr std::size_t kMinTypoLetters = 4;  // of a word; errors in shorter words make other words
constexpr double kTypoRate = 0.2;           // of the words that are long enough

bool is_letter(char32_t c) {
  return text::CharacterClasses::get().is(c, text::kLetter);
}

void add_typo(std::u32string& word, std::uint32_t kind, std::uint32_t at) {
  const std::size_t i = 1 + at;  // the first letter stays
  switch (kind) {
    case 0:
      std::swap(word[i], word[i + 1]);
      break;
    case 1:
      word.erase(i, 1);
      break;
    default:
      word.insert(i, 1, word[i]);
      break;
  }
}

// The position of the rarest word, by its count; the size of `ids` if there is none.
std::size_t find_rarest(std::span<const Id> ids, const RareWords& words) {
  std::size_t best = ids.size();
  const auto count = [&](std::size_t i) { return words.counts[static_cast<std::size_t>(ids[i])]; };
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (!words.vocabulary->is_special(ids[i]) && (best == ids.size() || count(i) < count(best))) best = i;
  return best;
}

}  // namespace

std::vector<std::string> enum_names(Noise) {
  return row_names(kNoises);
}

std::string add_typos(std::string_view text, const Random& random) {
  const std::u32string line = text::decode_utf8(text);
  std::u32string result, word;
  std::uint64_t position = kFirst;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && is_letter(line[i])) {
      word += line[i];
      continue;
    }
    if (word.size() >= kMinTypoLetters) {
      if (static_cast<double>(random.uniform(position)) < kTypoRate)
        add_typo(word, random.below(position + 1, 3),
                 random.below(position + 2, static_cast<std::uint32_t>(word.size()) - 2));
      position += 3;
    }
    result += word;
    word.clear();
    if (i < line.size()) result += line[i];
  }
  return text::encode_utf8(result);
}

std::string drop_punctuation(std::string_view text) {
  std::u32string line = text::decode_utf8(text);
  while (!line.empty() && std::u32string_view(U".!?…。！？ ").find(line.back()) != std::u32string_view::npos)
    line.pop_back();
  // Commas inside numbers stay.
  std::u32string result;
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] != ',' || (i + 1 < line.size() && line[i + 1] != ' ')) result += line[i];
  return result.empty() ? std::string(text) : text::encode_utf8(result);
}

void augment(std::string& source, std::string& target, const AugmentOptions& options, const Random& random) {
  if (options.kinds.empty() || static_cast<double>(random.uniform(kDecision)) >= options.rate) return;
  switch (options.kinds[random.below(kKind, static_cast<std::uint32_t>(options.kinds.size()))]) {
    case Noise::upper:
      source = text::upper_case(source, options.source_language);
      target = text::upper_case(target, options.target_language);
      break;
    case Noise::title:
      source = text::title_case(source, options.source_language);
      if (options.target_language.starts_with("en")) target = text::title_case(target, options.target_language);
      break;
    case Noise::typos:
      source = add_typos(source, random);
      break;
    case Noise::punctuation:
      source = drop_punctuation(source);
      break;
  }
}

void replace_rare_words(std::span<Id> source, std::span<Id> target, const RareWords& source_words,
                        const RareWords& target_words, double rate, const Random& random) {
  if (static_cast<double>(random.uniform(kDecision)) >= rate) return;
  bool has_singletons = false;
  const auto replace_singletons = [&](std::span<Id> ids, const RareWords& words) {
    for (Id& id : ids)
      if (!words.vocabulary->is_special(id) && words.counts[static_cast<std::size_t>(id)] == 1) {
        id = words.vocabulary->special().unk;
        has_singletons = true;
      }
  };
  replace_singletons(source, source_words);
  replace_singletons(target, target_words);
  if (has_singletons) return;
  const std::size_t s = find_rarest(source, source_words), t = find_rarest(target, target_words);
  if (s == source.size() || t == target.size()) return;
  const std::int64_t left = source_words.counts[static_cast<std::size_t>(source[s])],
                     right = target_words.counts[static_cast<std::size_t>(target[t])];
  if (left > 2 * right || right > 2 * left) return;
  source[s] = source_words.vocabulary->special().unk;
  target[t] = target_words.vocabulary->special().unk;
}

}  // namespace heed::data
