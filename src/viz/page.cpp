#include "viz/page.h"

#include <algorithm>
#include <cmath>

#include "base/base64.h"
#include "base/error.h"
#include "text/attention_json.h"
#include "viz/colors.h"
#include "viz/heatmap.h"
#include "viz/label.h"
#include "viz/page_files.h"

namespace heed::viz {
namespace {

const PageFile* find_file(std::string_view name) {
  const auto* const found = std::ranges::find(kPageFiles, name, &PageFile::name);
  return found == std::end(kPageFiles) ? nullptr : found;
}

// A hexadecimal digest as a content-security policy lists it: in base64.
std::string policy_hash(std::string_view sha256) {
  const auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < sha256.size(); i += 2)
    bytes += static_cast<char>(16 * value(sha256[i]) + value(sha256[i + 1]));
  return fmt::format(" 'sha256-{}'", to_base64(bytes));
}

std::string json_block(std::string_view attribute, std::string_view json) {
  return fmt::format("<script type=\"application/json\" {}>{}</script>\n", attribute, json);
}

Json ramp_json(Ramp ramp) {
  constexpr int kSteps = 64;
  Json colors = Json::array();
  for (int i = 0; i <= kSteps; ++i) colors.push_back(to_hex(color_of(static_cast<double>(i) / kSteps, ramp)));
  return colors;
}

}  // namespace

std::string make_page(const Page& page) {
  std::string styles, scripts, style_hashes, script_hashes;
  for (const std::string_view name : {std::string_view("shared"), std::string_view("chart"), page.script}) {
    if (name == "chart" && !page.charts) continue;
    if (const PageFile* const style = find_file(fmt::format("{}.css", name))) {
      styles += fmt::format("<style>{}</style>\n", style->text);
      style_hashes += policy_hash(style->sha256);
    }
    const PageFile* const script = find_file(fmt::format("{}.js", name));
    check<InternalError>(script != nullptr, "there is no page script {}", name);
    scripts += fmt::format("<script>{}</script>\n", script->text);
    script_hashes += policy_hash(script->sha256);
  }
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src{}; style-src{};{} "
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n",
      script_hashes, style_hashes, page.may_connect ? " connect-src 'self';" : "",
      escape_markup(clean_label(page.title)));
  html += fmt::format("{}</head>\n<body>\n<main id=\"page\"><noscript><p>{}</p></noscript></main>\n", styles,
                      escape_markup(page.lead));
  html += json_block("id=\"data\"",
                     script_json({{"ramps", {{"light", ramp_json(Ramp::paper)}, {"dark", ramp_json(Ramp::night)}}},
                                  {"page", page.data}}));
  for (const std::string& part : page.parts) html += json_block("class=\"part\"", part);
  return html + scripts + "</body>\n</html>\n";
}

std::string_view page_file(std::string_view name) {
  const PageFile* const file = find_file(name);
  check<InternalError>(file != nullptr, "there is no page file {}", name);
  return file->text;
}

std::string script_json(const Json& data) {
  std::string safe;
  for (const char c : dump_json(data)) {
    if (c == '<' || c == '>' || c == '&')
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      safe += c;
  }
  return safe;
}

Json short_numbers(std::span<const float> numbers) {
  Json array = Json::array();
  for (const double number : numbers) {
    const double unit = number == 0 ? 1 : std::pow(10, 3 - std::floor(std::log10(std::abs(number))));
    array.push_back(std::isfinite(number) && std::isfinite(unit) ? Json(std::round(number * unit) / unit) : Json());
  }
  return array;
}

Json heatmap_json(const Heatmap& map) {
  check_drawable(map.attention);
  Json gold = Json::array();
  for (const alignment::Link& link : map.links) gold.push_back({link.source, link.target, link.sure});
  return {{"title", map.title.empty() ? "" : clean_label(map.title)},
          {"subtitle", map.subtitle.empty() ? "" : clean_label(map.subtitle)},
          {"source", clean_labels(map.attention.source)},
          {"target", clean_labels(map.attention.target)},
          {"weights", weights_json(map.attention, 1e4)},
          {"gold", gold}};
}

Json heatmap_json_if_small(const Heatmap& map) {
  const std::size_t longest = std::max(map.attention.source.size(), map.attention.target.size());
  return longest <= kMaxHeatmapWords ? heatmap_json(map) : Json();
}

}  // namespace heed::viz
