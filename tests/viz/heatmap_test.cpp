#include "viz/heatmap.h"

#include <cairo.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <regex>

#include "base/error.h"
#include "viz/colors.h"
#include "viz/label.h"
#include "viz/raster.h"

namespace heed::viz {
namespace {

text::Token word(const char* text) {
  return {text, {}};
}

Heatmap small_map() {
  return {.title = "a model",
          .subtitle = "",
          .attention = {.source = {word("the"), word("cat"), word("</s>")},
                        .target = {word("die"), word("Katze")},
                        .weights = {0.75F, 0.25F, 0, 0.1F, 0.6F, 0.3F}},
          .links = {{0, 0, true}, {1, 1, false}, {9, 9, true}}};
}

std::string svg_of(const Heatmap& map, bool numbers = false) {
  return heatmap_svg(std::span(&map, 1), numbers);
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class Picture {
 public:
  explicit Picture(const std::string& png) : bytes_(png) {
    surface_ = {cairo_image_surface_create_from_png_stream(read, this), cairo_surface_destroy};
  }
  int width() const { return cairo_image_surface_get_width(surface_.get()); }
  Color at(int x, int y) const {
    std::uint32_t pixel = 0;
    std::memcpy(
        &pixel,
        cairo_image_surface_get_data(surface_.get()) + y * cairo_image_surface_get_stride(surface_.get()) + 4 * x, 4);
    return {static_cast<int>(pixel >> 16 & 255), static_cast<int>(pixel >> 8 & 255), static_cast<int>(pixel & 255)};
  }

 private:
  static cairo_status_t read(void* self, unsigned char* data, unsigned int length) {
    auto* const picture = static_cast<Picture*>(self);
    if (picture->at_ + length > picture->bytes_.size()) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(data, picture->bytes_.data() + picture->at_, length);
    picture->at_ += length;
    return CAIRO_STATUS_SUCCESS;
  }

  std::string bytes_;
  std::size_t at_ = 0;
  std::shared_ptr<cairo_surface_t> surface_;
};

// The upper left corner of the grid: the translation of the map plus that of the grid in it.
std::pair<double, double> grid_corner(const std::string& svg) {
  static const std::regex translation("<g transform=\"translate[(]([0-9.]+) ([0-9.]+)[)]\"");
  double x = 0, y = 0;
  auto found = std::sregex_iterator(svg.begin(), svg.end(), translation);
  for (int i = 0; i < 2; ++i, ++found) x += std::stod((*found)[1]), y += std::stod((*found)[2]);
  return {x, y};
}

TEST(Heatmap, PngHasTheWeightsColorInEachCell) {
  const Heatmap map = small_map();
  const std::string svg = svg_of(map);
  const auto [x, y] = grid_corner(svg);
  constexpr double kScale = 2, kCell = 30;
  const Picture picture(svg_to_png(svg, kScale));
  for (std::size_t t = 0; t < 2; ++t) {
    for (std::size_t s = 0; s < 3; ++s) {
      const Color seen = picture.at(static_cast<int>(kScale * (x + kCell * (static_cast<double>(s) + 0.5))),
                                    static_cast<int>(kScale * (y + kCell * (static_cast<double>(t) + 0.5))));
      EXPECT_EQ(to_hex(seen), to_hex(color_of(map.attention.at(t, s), Ramp::paper))) << t << " " << s;
    }
  }
  EXPECT_EQ(to_hex(picture.at(2, 2)), "#ffffff");
}

TEST(Heatmap, SvgHasWordsNumbersAndGold) {
  const std::string plain = svg_of(small_map()), numbered = svg_of(small_map(), true);
  for (const char* word : {">the<", ">cat<", ">&lt;/s&gt;<", ">die<", ">Katze<", ">a model<"})
    EXPECT_EQ(count(plain, word), 1) << word;
  EXPECT_EQ(count(plain, ">.75<"), 0);
  EXPECT_EQ(count(numbered, ">.75<"), 1);
  EXPECT_EQ(count(numbered, ">.10<"), 1);
  EXPECT_EQ(count(numbered, ">.00<"), 0);
  // Each kind of link once in the map and once in the legend; not the link outside the matrix.
  EXPECT_EQ(count(plain, "stroke-dasharray"), 2);
  EXPECT_EQ(count(plain, "fill=\"none\" stroke"), 4);
}

TEST(Heatmap, WordsCannotBecomeMarkup) {
  Heatmap map = small_map();
  map.attention.source[0].text = "<script>alert(1)</script>";
  map.attention.target[0].text = "\"/><x y='\x01\xff";
  map.title = "<b>&";
  const std::string svg = svg_of(map);
  EXPECT_EQ(count(svg, "<script"), 0);
  EXPECT_EQ(count(svg, "<x"), 0);
  EXPECT_EQ(count(svg, "<b>"), 0);
  EXPECT_GT(Picture(svg_to_png(svg)).width(), 100);  // still well-formed
}

TEST(Heatmap, DrawsSeveralMapsSideBySide) {
  Heatmap none = small_map();
  none.attention.weights.clear();
  const std::vector<Heatmap> maps{small_map(), none, small_map()};
  const std::string svg = heatmap_svg(maps);
  EXPECT_EQ(count(svg, ">Katze<"), 3);
  EXPECT_EQ(count(svg, "this model has no attention"), 1);
  EXPECT_GT(Picture(svg_to_png(svg, 1)).width(), 2 * Picture(svg_to_png(svg_of(small_map()), 1)).width() - 200);
}

TEST(Heatmap, DrawsLongSentencesInAnyScript) {
  Heatmap map;
  for (int i = 0; i < 60; ++i) {
    map.attention.source.push_back(word(i % 2 == 0 ? "internationale" : "学习"));
    map.attention.target.push_back(word(i % 3 == 0 ? "الترجمة" : i % 3 == 1 ? "अनुवाद" : "👩‍👩‍👧"));
  }
  map.attention.weights.assign(3600, 1 / 60.0F);
  EXPECT_GT(Picture(svg_to_png(svg_of(map), 1)).width(), 60 * 13);
  EXPECT_TRUE(svg_to_pdf(svg_of(map)).starts_with("%PDF-"));
}

TEST(Heatmap, RejectsWrongShapesAndLongSentences) {
  Heatmap map = small_map();
  map.attention.weights.pop_back();
  EXPECT_THROW(svg_of(map), ShapeError);
  EXPECT_THROW(heatmap_terminal(map, {}), ShapeError);
  Heatmap large;
  large.attention.source.assign(kMaxHeatmapWords + 1, word("x"));
  EXPECT_THROW(svg_of(large), UsageError);
}

TEST(HeatmapTerminal, PlainShades) {
  Heatmap map = small_map();
  map.title = "";
  EXPECT_EQ(heatmap_terminal(map, {.width = 40}),
            "      the\n"
            "      │  cat\n"
            "      │  │  </s>\n"
            "  die ███▒▒▒ · \n"
            "Katze ░░░▓▓▓▒▒▒\n");
  EXPECT_EQ(heatmap_terminal(map, {.width = 40, .numbers = true}),
            "      the\n"
            "      │  cat\n"
            "      │  │  </s>\n"
            "  die  75 25   \n"
            "Katze  10 60 30\n");
}

TEST(HeatmapTerminal, Colors) {
  const Heatmap map = small_map();
  const Color three_quarters = color_of(0.75, Ramp::night);
  const std::string full = heatmap_terminal(map, {.color = TerminalColor::full});
  EXPECT_NE(
      full.find(fmt::format("\x1b[48;2;{};{};{};", three_quarters.red, three_quarters.green, three_quarters.blue)),
      full.npos);
  EXPECT_EQ(count(full, "\x1b[0m\n"), 2);
  EXPECT_EQ(count(heatmap_terminal(map, {.color = TerminalColor::indexed}), "\x1b[48;5;"), 6);
  EXPECT_EQ(count(heatmap_terminal(map, {.color = TerminalColor::none}), "\x1b"), 0);
}

TEST(HeatmapTerminal, NoLineIsWiderThanTheTerminal) {
  Heatmap map;
  for (int i = 0; i < 45; ++i) map.attention.source.push_back(word(i % 3 == 0 ? "internationale" : "学"));
  map.attention.target = {word("Donaudampfschifffahrtsgesellschaftskapitän"), word("🙂")};
  map.attention.weights.assign(90, 0.02F);
  for (const std::size_t width : {20U, 40U, 80U, 200U}) {
    const std::string text = heatmap_terminal(map, {.width = width});
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = text.find('\n', from);
      EXPECT_LE(terminal_columns(text.substr(from, end - from)), width) << text.substr(from, end - from);
      from = end + 1;
    }
    EXPECT_EQ(count(text, "🙂 "), static_cast<int>(count(text, "Dona")));
  }
}

TEST(HeatmapTerminal, NoAttention) {
  Heatmap map = small_map();
  map.attention.weights.clear();
  EXPECT_EQ(heatmap_terminal(map, {}), "a model\nthis model has no attention\n");
}

}  // namespace
}  // namespace heed::viz
