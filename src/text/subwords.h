// Subwords through SentencePiece: training a BPE or unigram model, splitting with it, and drawing other segmentations
// while training a translator. A model is an opaque string of bytes, so that it can live inside a model file.
// SentencePiece stays behind this module: no header of its own is seen outside.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace heed::text {

struct SubwordTraining {
  std::string model = "unigram";  // or "bpe"
  int size = 8000;                // pieces; fewer if the text does not hold as many
  float character_coverage = 1;   // rarer characters become unknown
  int threads = 1;                // part of what a unigram model depends on, in its last digits
};

// Trains on lines that `next` puts out until it returns false; keeps them in memory. The text is taken as it comes:
// normalize it before. Spaces are kept as they are, so that detokenizing gives the text back exactly. Text that is
// empty, or too small for the size, is an InputError; settings out of range are UsageErrors.
std::string train_subwords(const std::function<bool(std::string& line)>& next, const SubwordTraining& training);

// Trained subword models as bytes; empty if the tokenizer has none. The same twice if they are joint.
struct SubwordModels {
  std::string source, target;
};

class SubwordTokenizer : public Tokenizer {
 public:
  // options.subword_model must be a trained model: else an InputError.
  explicit SubwordTokenizer(const TokenizerOptions& options);
  ~SubwordTokenizer() override;

  // Exact: the pieces joined, U+2581 as spaces.
  std::string detokenize(std::span<const std::string> tokens) const override;
  std::vector<std::string> closed_vocabulary() const override;

 protected:
  std::vector<Token> split(const MappedText& line) const override;
  std::vector<Token> split_sampled(const MappedText& line, const SubwordSampling& sampling) const override;

 private:
  class Model;
  std::unique_ptr<Model> model_;
};

}  // namespace heed::text
