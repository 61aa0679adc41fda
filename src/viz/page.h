// A self-contained HTML page: data as JSON, drawn by the scripts of src/viz/page. No fonts or frames, and no network
// access unless allowed; the content-security policy permits only those scripts, by their hashes. User text is only in
// the JSON blocks, where it cannot end the block, and scripts insert it only as text. Thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"

namespace heed::viz {

struct Heatmap;

struct Page {
  std::string_view title;
  std::string_view lead;    // shown if JavaScript is off
  std::string_view script;  // NAME of src/viz/page/NAME.js and NAME.css (optional); shared.js and shared.css come first
  Json data;                // heed.data of the scripts
  std::span<const std::string> parts = {};  // heed.parts: more data, from script_json()
  bool charts = false;                      // whether chart.js and chart.css come before the script's files
  bool may_connect = false;                 // whether scripts may connect to the page's server
};

std::string make_page(const Page& page);

// The text of src/viz/page/NAME.
std::string_view page_file(std::string_view name);

// JSON for a script element: nothing in it can end the element or start a comment.
std::string script_json(const Json& data);

// {"title","subtitle","source":[…],"target":[…],"weights":[[…]] or null,"gold":[[source,target,sure]…]} for the
// scripts; weights with four digits, words cleaned. Errors as for check_drawable().
Json heatmap_json(const Heatmap& map);
// The same, but null if the map is too large to draw.
Json heatmap_json_if_small(const Heatmap& map);

// Numbers with four significant digits; NaN and infinity become null.
Json short_numbers(std::span<const float> numbers);

}  // namespace heed::viz
