// The page that compares models: a table of results, the scores with their confidence intervals and paired tests, then
// sentences with the translation and attention of each model, with differences marked. One self-contained HTML file.
// Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "text/attention_matrix.h"

namespace heed::viz {

struct ComparePage {
  struct Figure {
    std::string text;
    bool best = false, differs = false;  // best in its column; significantly different from the baseline's
  };
  struct Model {
    std::string title, subtitle;
    std::vector<Figure> figures;  // one per column
  };
  struct Interval {
    double value = 0, low = 0, high = 0;
  };
  struct Result {
    Interval score;
    std::optional<Interval> difference;  // from the baseline
    double bootstrap_p = 1, randomization_p = 1;
    bool differs = false;
  };
  struct Metric {
    std::string label, signature;
    std::vector<Result> results;  // one per model
  };
  struct Translation {
    std::string text;
    text::AttentionMatrix attention;  // without weights if the model has no attention
  };
  struct Sentence {
    std::string source, reference;
    std::vector<Translation> translations;  // one per model
  };
  struct Fact {
    std::string name, text;
  };
  std::string title = "Model comparison";
  std::vector<Fact> facts;           // about the test
  std::vector<std::string> columns;  // headings of the figures
  std::vector<Model> models;         // the first is the baseline
  std::vector<Metric> metrics;
  std::vector<std::string> notes;  // shown below the table
  bool lowercase = false;          // case is ignored
  std::string language;            // of the sources, to split them into words
  std::vector<Sentence> sentences;
};

// Attention is shown for words, which all models share, so that the columns of their maps line up. Omits maps that are
// too large to draw. ShapeError unless there is one figure per column, and one result and one translation per model.
std::string compare_page(const ComparePage& page);

}  // namespace heed::viz
