// The page that plays a decoder: one sentence through one or several models, with the numbers that the models computed.
// Plain data in, one self-contained HTML file out. Free of state.
#pragma once

#include <string>
#include <vector>

#include "viz/heatmap.h"

namespace heed::viz {

// Vectors may be given in full: the page shows the first kShownComponents of each and says so.
constexpr std::size_t kShownComponents = 12;

struct StepPage {
  struct Choice {
    std::string word;
    double probability = 0;
  };
  struct Step {
    std::string input;                    // the word read
    std::vector<float> embedding;         // of it
    std::vector<float> before, state;     // the decoder's top state before and after the cell
    std::vector<float> scores, weights;   // one a source word; empty without attention
    std::vector<float> context, readout;  // context: empty where there is none
    std::string word;                     // the word written
    double probability = 0;
    std::vector<Choice> choices;  // the likeliest words, best first
  };
  struct Hypothesis {
    std::string text;
    double score = 0;
    std::vector<Step> steps;
  };
  struct Model {
    std::string title;
    std::string summary;               // "gru encoder, both directions, 512 units; …"
    std::string place;                 // before | after | constant (the last state at every step) | none
    std::string score, formula;        // "additive", "v · tanh(Wq h + Wk e)"
    std::string cell;                  // "gru"
    std::vector<std::string> input;    // what the cell reads: embedding, context, feed
    std::vector<std::string> readout;  // what the readout reads: state, context, embedding
    bool readout_layer = false;        // through a tanh layer, or as it is
    std::vector<std::string> source;
    std::vector<std::vector<float>> encoder;  // one state a source word
    std::vector<Hypothesis> hypotheses;       // best first, at least one
    std::vector<GoldLink> gold;               // of the first hypothesis
  };
  std::string sentence;
  std::vector<Model> models;  // at least one
};

// UsageError where a sentence is too long for a picture.
std::string step_page(const StepPage& page);

}  // namespace heed::viz
