// The page that sets several models side by side: their figures in a table, then the same sentences through each, with
// differences marked. Plain data in, one self-contained HTML file out. Free of state.
#pragma once

#include <string>
#include <vector>

#include "text/attention_matrix.h"

namespace heed::viz {

struct ComparePage {
  struct Model {
    std::string title, subtitle;
    std::vector<std::string> figures;  // one per column, as they are to be read
  };
  struct Translation {
    std::string text;
    text::AttentionMatrix attention;  // without weights if the model has none
  };
  struct Sentence {
    std::string source, reference;
    std::vector<Translation> translations;  // one per model
  };
  std::string title = "Models compared";
  std::vector<std::string> columns;  // headings of the figures
  std::vector<Model> models;         // the first is what the others are compared with
  std::vector<std::string> notes;    // sentences below the table: what the figures mean, what is significant
  std::vector<Sentence> sentences;
};

// ShapeError if figures or translations are not one per column or model. Maps that are too large for a picture are left
// out.
std::string compare_page(const ComparePage& page);

}  // namespace heed::viz
