// The pages that `heed docs` generates from the option registry.
#pragma once

#include <span>
#include <string>

#include "command.h"

namespace heed::cli {

std::string options_page(std::span<const Command* const> commands);                                 // docs/options.md
std::string man_page(std::span<const Command* const> commands, std::string_view name_and_version);  // heed.1, in roff
std::string bash_completions(std::span<const Command* const> commands);
std::string zsh_completions(std::span<const Command* const> commands);
std::string fish_completions(std::span<const Command* const> commands);
// docs/systems.md with its tables, which are delimited by comments, generated anew from the presets. InputError with
// the path if the page has no such comments.
std::string systems_page(std::string page, const std::string& path);

}  // namespace heed::cli
