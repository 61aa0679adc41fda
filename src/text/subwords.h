// Subwords: trains BPE and unigram models with SentencePiece, splits text with them and samples segmentations while
// training a translator. A model is an opaque string of bytes, which a model file can hold. Only this module includes
// headers of SentencePiece.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace heed::text {

struct SubwordTraining {
  std::string model = "unigram";  // or "bpe"
  int size = 8000;                // number of subwords; fewer if the text does not yield that many
  float character_coverage = 1;   // fraction of the characters to cover; rarer ones become unknown
  int threads = 1;                // changes the last digits of a unigram model's scores
  // Subwords that the model always has and that are never part of another one. They must not contain commas.
  std::vector<std::string> symbols = {};
};

// Trains on the lines that `next` returns until it returns false; keeps them in memory. Does not normalize the text,
// not even its spaces, so that detokenizing restores it exactly. Text that is empty or too small for the size is an
// InputError; settings out of range are UsageErrors.
std::string train_subwords(const std::function<bool(std::string& line)>& next, const SubwordTraining& training);

// Trained subword models as bytes; empty if the tokenizer has none. Both are the same model if it is joint.
struct SubwordModels {
  std::string source, target;
};

// options.subword_model must be a trained model: otherwise an InputError. Detokenizing is exact.
std::unique_ptr<Tokenizer> make_subword_tokenizer(const TokenizerOptions& options);

}  // namespace heed::text
