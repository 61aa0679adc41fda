// The page that compares models: a table of results, then sentences with the translation and attention of each model,
// with differences marked. Returns one self-contained HTML file. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "text/attention_matrix.h"

namespace heed::viz {

struct ComparePage {
  struct Model {
    std::string title, subtitle;
    std::vector<std::string> figures;  // one per column, formatted
  };
  struct Translation {
    std::string text;
    text::AttentionMatrix attention;  // without weights if the model has no attention
  };
  struct Sentence {
    std::string source, reference;
    std::vector<Translation> translations;  // one per model
  };
  std::string title = "Model comparison";
  std::vector<std::string> columns;  // headings of the figures
  std::vector<Model> models;         // the first is the baseline
  std::vector<std::string> notes;    // shown below the table
  std::vector<Sentence> sentences;
};

// ShapeError unless there is one figure per column and one translation per model. Omits maps that are too large to
// draw.
std::string compare_page(const ComparePage& page);

}  // namespace heed::viz
