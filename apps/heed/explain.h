// One option or setting in a paragraph, for `heed help`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "command.h"

namespace heed::cli {

// What `name` means in each of these commands: --beam, beam, encoder.hidden or hidden; "" if none of them has it.
std::string explain_option(std::span<const Command* const> commands, std::string_view name);

// The settings of a section, such as attention, with one line about each; "" if there is no such section.
std::string explain_section(const Command& command, std::string_view section);

// All flags and keys of these commands, for suggestions.
std::vector<std::string> option_names(std::span<const Command* const> commands);

}  // namespace heed::cli
