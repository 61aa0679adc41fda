#include "viz/page.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "viz/colours.h"
#include "viz/heatmap.h"
#include "viz/label.h"
#include "viz/page_files.h"

namespace heed::viz {
namespace {

const PageFile* find_file(std::string_view name) {
  const auto* const found = std::ranges::find(kPageFiles, name, &PageFile::name);
  return found == std::end(kPageFiles) ? nullptr : found;
}

// The digest as a content-security policy lists it: base64 of the bytes behind the hexadecimal digits.
std::string policy_hash(std::string_view sha256) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string hash;
  unsigned bits = 0;
  int count = 0;
  for (const char digit : sha256) {
    bits = (bits << 4 | static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10)) & 0xFFFF;
    for (count += 4; count >= 6; count -= 6) hash += kDigits[bits >> (count - 6) & 63];
  }
  hash += kDigits[bits << (6 - count) & 63];  // 256 bits leave four over
  return fmt::format(" 'sha256-{}='", hash);
}

// JSON that can stand inside a script element: nothing in it can end the element or open a comment.
std::string for_script(const Json& data) {
  std::string safe;
  for (const char c : dump_json(data)) {
    if (c == '<' || c == '>' || c == '&')
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      safe += c;
  }
  return safe;
}

Json ramp_json(Ramp ramp) {
  constexpr int kSteps = 64;
  Json colours = Json::array();
  for (int i = 0; i <= kSteps; ++i) colours.push_back(to_hex(colour_of(static_cast<double>(i) / kSteps, ramp)));
  return colours;
}

}  // namespace

std::string make_page(std::string_view title, std::string_view lead, std::initializer_list<std::string_view> scripts,
                      const Json& data) {
  std::vector<const PageFile*> styles{find_file("shared.css")}, code{find_file("shared.js")};
  for (const std::string_view name : scripts) {
    if (const PageFile* style = find_file(fmt::format("{}.css", name))) styles.push_back(style);
    code.push_back(find_file(fmt::format("{}.js", name)));
    check<InternalError>(code.back() != nullptr, "there is no page script {}", name);
  }
  std::string style_hashes, script_hashes;
  for (const PageFile* file : styles) style_hashes += policy_hash(file->sha256);
  for (const PageFile* file : code) script_hashes += policy_hash(file->sha256);

  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src{}; style-src{}; "
      "base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n",
      script_hashes, style_hashes, escape_markup(clean_label(title)));
  for (const PageFile* file : styles) page += fmt::format("<style>{}</style>\n", file->text);
  page +=
      fmt::format("</head>\n<body>\n<main id=\"page\"><noscript><p>{}</p></noscript></main>\n", escape_markup(lead));
  Json all = {{"ramps", {{"light", ramp_json(Ramp::paper)}, {"dark", ramp_json(Ramp::night)}}}, {"page", data}};
  page += fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n", for_script(all));
  for (const PageFile* file : code) page += fmt::format("<script>{}</script>\n", file->text);
  return page + "</body>\n</html>\n";
}

Json short_numbers(const std::vector<float>& numbers) {
  Json array = Json::array();
  for (const double number : numbers) {
    const double unit = number == 0 ? 1 : std::pow(10, 3 - std::floor(std::log10(std::abs(number))));
    array.push_back(std::isfinite(number) && std::isfinite(unit) ? Json(std::round(number * unit) / unit) : Json());
  }
  return array;
}

Json heatmap_json(const Heatmap& map) {
  check_heatmap(map);
  Json weights, gold = Json::array();
  for (std::size_t t = 0; !map.weights.empty() && t < map.target.size(); ++t) {
    Json row = Json::array();
    for (std::size_t s = 0; s < map.source.size(); ++s) row.push_back(std::round(1e4 * map.at(t, s)) / 1e4);
    weights.push_back(row);
  }
  for (const GoldLink& link : map.gold) gold.push_back({link.source, link.target, link.sure});
  return {{"title", map.title.empty() ? "" : clean_label(map.title)},
          {"subtitle", map.subtitle.empty() ? "" : clean_label(map.subtitle)},
          {"source", clean_labels(map.source)},
          {"target", clean_labels(map.target)},
          {"weights", weights},
          {"gold", gold}};
}

}  // namespace heed::viz
