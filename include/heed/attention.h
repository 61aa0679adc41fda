// What a model attended to when it wrote a translation: a matrix, its words and its picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/alignment.h"
#include "heed/version.h"

namespace heed {

struct Token {
  std::string text;
  std::uint32_t begin = 0, end = 0;  // its characters (not bytes) in the text: [begin, end)
};

struct Attention {
  std::vector<Token> source, target;
  bool source_end = false, target_end = false;  // whether the last token of the side is the end symbol
  // Row t has the weights of target token t, one per source token: weights[t * source.size() + s]. Empty if they were
  // not requested or the model has no attention.
  std::vector<float> weights;

  bool has_weights() const { return !weights.empty(); }
  float at(std::size_t t, std::size_t s) const { return weights[t * source.size() + s]; }
};

struct PictureOptions {
  std::string title = {}, subtitle = {};
  bool numbers = false;  // write the weights into the cells
  Alignment links = {};  // outlined in the picture
};

// A heat map: source tokens above, target tokens on the left. Error if the matrix has no weights or more than 400
// tokens on a side. PNG and PDF need librsvg at run time. Thread-safe.
HEED_API std::string attention_svg(const Attention& attention, const PictureOptions& options = {});
HEED_API std::string attention_png(const Attention& attention, const PictureOptions& options = {});
HEED_API std::string attention_pdf(const Attention& attention, const PictureOptions& options = {});

}  // namespace heed
