// A self-contained HTML page: data as JSON, drawn by the scripts of src/viz/page. No network, no fonts, no frames; the
// content-security policy lets nothing run but those scripts, by their hashes. Text of users stands in the JSON block
// alone, where it cannot end the block, and the scripts only ever insert it as text. Free of state.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace heed::viz {

struct Heatmap;

// `scripts` are names of src/viz/page without .js; shared.css and shared.js are in every page, and NAME.css with
// NAME.js where it is there. `lead` is the sentence for readers without scripts.
std::string make_page(std::string_view title, std::string_view lead, std::initializer_list<std::string_view> scripts,
                      const Json& data);

// {"title","subtitle","source":[…],"target":[…],"weights":[[…]] or null,"gold":[[source,target,sure]…]} for the
// scripts; weights to four digits, words cleaned as in pictures.
Json heatmap_json(const Heatmap& map);

// Numbers to four significant digits, which is more than a page shows; what is not finite becomes null.
Json short_numbers(const std::vector<float>& numbers);

}  // namespace heed::viz
