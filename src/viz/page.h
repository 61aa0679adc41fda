// Makes self-contained HTML pages: data as JSON, drawn by the scripts of src/viz/page. A page has no fonts or frames
// and accesses no network but its own server, if it has one; its content security policy permits only those scripts, by
// their hashes. User text appears only in JSON blocks, which it cannot end, and scripts insert it only as text.
// Thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace heed::viz {

struct Heatmap;

struct Page {
  std::string_view title;
  std::string_view lead;  // shown if JavaScript is off
  // Each NAME stands for src/viz/page/NAME.js, NAME.css or both, in this order; shared.js and shared.css come first.
  std::vector<std::string_view> scripts;
  Json data;                                // heed.data in the scripts
  std::span<const std::string> parts = {};  // heed.parts in the scripts: more data, from script_json()
  // The page comes from a server, to which its scripts may connect and its forms be sent, and which has its icon.
  bool has_server = false;
};

std::string make_page(const Page& page);

// The page's content security policy, which the page also contains.
std::string page_policy(const Page& page);

// The text of src/viz/page/NAME.
std::string_view page_file(std::string_view name);

// JSON for a script element: nothing in it can end the element or start a comment.
std::string script_json(const Json& data);

// {"title","subtitle","source":[…],"target":[…],"weights":[[…]] or null,"gold":[[source,target,sure]…]} for the
// scripts; weights have four digits, words are cleaned. Throws like check_drawable().
Json heatmap_json(const Heatmap& map);
// The same, but null if the map is too large to draw.
Json heatmap_json_if_small(const Heatmap& map);

// Numbers with four significant digits; NaN and infinity become null.
Json short_numbers(std::span<const float> numbers);

}  // namespace heed::viz
