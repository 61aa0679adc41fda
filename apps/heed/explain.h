// One option or setting in a paragraph, for `heed help`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "command.h"

namespace heed::cli {

// What `name` means in each of these commands: --beam, beam, encoder.hidden or hidden; "" if none of them has it.
std::string explain_option(std::span<const Command* const> commands, std::string_view name);

// All flags and keys of these commands, for suggestions.
std::vector<std::string> option_names(std::span<const Command* const> commands);

}  // namespace heed::cli
