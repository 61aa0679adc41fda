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

// A hexadecimal digest in base64, as a content security policy needs it.
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

// The files of a page with this ending, in order.
std::vector<const PageFile*> files_of(const Page& page, std::string_view ending) {
  std::vector<std::string_view> names = page.scripts;
  names.insert(names.begin(), "shared");
  std::vector<const PageFile*> files;
  for (const std::string_view name : names) {
    const auto find = [&](std::string_view kind) { return find_file(fmt::format("{}.{}", name, kind)); };
    check<InternalError>(find("js") != nullptr || find("css") != nullptr, "there is no page script {}", name);
    if (const PageFile* const file = find(ending)) files.push_back(file);
  }
  return files;
}

}  // namespace

std::string page_policy(const Page& page) {
  std::string policy = "default-src 'none'; script-src";
  for (const PageFile* const script : files_of(page, "js")) policy += policy_hash(script->sha256);
  policy += "; style-src";
  for (const PageFile* const style : files_of(page, "css")) policy += policy_hash(style->sha256);
  policy += page.has_server ? "; connect-src 'self'; img-src 'self'; form-action 'self'" : "; form-action 'none'";
  return policy + "; base-uri 'none'";
}

std::string make_page(const Page& page) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n",
      page_policy(page), escape_markup(clean_label(page.title)));
  for (const PageFile* const style : files_of(page, "css")) html += fmt::format("<style>{}</style>\n", style->text);
  html += fmt::format("</head>\n<body>\n<main id=\"page\"><noscript><p>{}</p></noscript></main>\n",
                      escape_markup(page.lead));
  Json data = {{"page", page.data}};
  if (std::ranges::find(page.scripts, "heatmap") != page.scripts.end())
    data["ramps"] = {{"light", ramp_json(Ramp::paper)}, {"dark", ramp_json(Ramp::night)}};
  html += json_block("id=\"data\"", script_json(data));
  for (const std::string& part : page.parts) html += json_block("class=\"part\"", part);
  for (const PageFile* const script : files_of(page, "js")) html += fmt::format("<script>{}</script>\n", script->text);
  return html + "</body>\n</html>\n";
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
