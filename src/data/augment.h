// Changes training pairs at random, so that a model learns to cope with text that is not as clean as its corpus: all
// capitals, headlines, typing errors, missing punctuation (data.augment). And unknown words: rare words that are
// replaced by the symbol for unknown words, so that a model whose vocabulary has every word of its text learns it too
// (data.unknown_rate).
//
// Every change is a function of the pair and of a Random, which the caller keys by seed, epoch and pair. Thread-safe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "tensor/ids.h"
#include "text/vocabulary.h"

namespace heed::data {

// upper: both sides in upper case. title: the words of the source begin with capitals, and so do those of the target if
// it is English; other languages write headlines as sentences. typos: letters of the source are swapped, dropped or
// doubled. punctuation: the source loses its punctuation at the end and its commas.
enum class Noise : std::uint8_t { upper, title, typos, punctuation };
std::vector<std::string> enum_names(Noise);

struct AugmentOptions {
  std::vector<Noise> kinds;  // one of them is drawn
  double rate = 0;           // the probability that a pair is changed
  std::string source_language = {}, target_language = {};
};

void augment(std::string& source, std::string& target, const AugmentOptions& options, const Random& random);

// One side of a pair, or text of its own: the change of one kind.
std::string add_typos(std::string_view text, const Random& random);
std::string drop_punctuation(std::string_view text);

// How a side tells which words are rare.
struct RareWords {
  const text::Vocabulary* vocabulary = nullptr;
  std::span<const std::int64_t> counts = {};  // of each id in the training text
};

// With the probability `rate`, replaces on both sides the words that occur once in the training text; if the pair has
// none, the rarest word of each side, if they occur about equally often, so that they probably translate each other.
// The ids end with the end symbol.
void replace_rare_words(std::span<Id> source, std::span<Id> target, const RareWords& source_words,
                        const RareWords& target_words, double rate, const Random& random);

}  // namespace heed::data
