// Text in, text out: a model file with its vocabularies and tokenisers. What the command line and validation use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decode/search.h"
#include "model/model_file.h"
#include "text/vocabulary.h"
#include "translate/text_config.h"

namespace heed {

struct Translated {
  std::string text;
  std::vector<Token> source;       // the words the model read
  std::vector<std::string> words;  // the words it wrote, special symbols left out
  Hypothesis ids;                  // as decoded: ids, score, attention
};

class Translator {
 public:
  // InputError where the file is no model, or has no vocabularies to read text with.
  explicit Translator(const std::string& path);

  const Model& model() const { return *file_.model; }

  // One translation a line, in the lines' order; `batch` sentences of similar length are computed together. An empty
  // line, or one without a word, gives an empty translation. Every translation ends: at most twice as many words as the
  // source has, and ten more.
  std::vector<Translated> translate(std::span<const std::string> lines, std::size_t batch);

 private:
  std::vector<Id> encode(const std::vector<Token>& tokens) const;

  ModelFile file_;
  std::unique_ptr<Tokeniser> source_tokeniser_, target_tokeniser_;
  Vocabulary source_, target_;
  std::unique_ptr<Search> search_;
};

}  // namespace heed
