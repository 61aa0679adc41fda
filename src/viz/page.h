// A self-contained HTML page: data as JSON, drawn by the scripts of src/viz/page. No fonts, no frames, and no network
// unless it is allowed; the content-security policy lets nothing run but those scripts, by their hashes. Text of users
// stands in the JSON blocks alone, where it cannot end the block, and the scripts only ever insert it as text. Free of
// state.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"

namespace heed::viz {

struct Heatmap;

struct Page {
  std::string_view title;
  std::string_view lead;    // the sentence for readers without scripts
  std::string_view script;  // NAME.js of src/viz/page, and NAME.css if it is there; shared.js and shared.css come first
  Json data;                // heed.data of the scripts
  std::span<const std::string> parts = {};  // heed.parts: more data, each made by script_json() once and kept
  bool may_connect = false;                 // whether the scripts may talk to the server that the page came from
};

std::string make_page(const Page& page);

// JSON that can stand inside a script element: nothing in it can end the element or open a comment.
std::string script_json(const Json& data);

// {"title","subtitle","source":[…],"target":[…],"weights":[[…]] or null,"gold":[[source,target,sure]…]} for the
// scripts; weights to four digits, words cleaned as in pictures. Errors as for pictures.
Json heatmap_json(const Heatmap& map);

// Numbers to four significant digits, which is more than a page shows; what is not finite becomes null.
Json short_numbers(std::span<const float> numbers);

}  // namespace heed::viz
