#include "docs_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace heed::cli {
namespace {

struct Section {
  std::string title;
  std::vector<OptionRow> rows;
};

struct CommandPage {
  const Command* command;
  std::string usage;
  std::vector<Section> sections;
  // Sections of settings that an earlier command has as well; only that one lists them.
  std::string same_as;
  std::vector<std::string> same_titles;

  std::string same_sentence() const {
    return fmt::format("Also the settings that heed {} has under {}. heed help {} shows their defaults here.", same_as,
                       fmt::join(same_titles, "; "), command->name);
  }
};

std::vector<Section> sections_of(const Options& options) {
  std::vector<Section> sections;
  for (const OptionRow& row : options.rows()) {
    if (sections.empty() || sections.back().title != row.group) sections.push_back({row.group, {}});
    sections.back().rows.push_back(row);
  }
  return sections;
}

std::vector<CommandPage> command_pages(std::span<const Command* const> commands) {
  std::vector<CommandPage> pages;
  std::map<std::string, std::string> listed_by;  // key -> command
  for (const Command* command : commands) {
    if (command->hidden) continue;
    Options options(command->name);
    const auto action = command->make();
    action->declare(options);
    action->apply_preset(options);
    CommandPage page{command, options.usage(), {}, "", {}};
    for (Section& section : sections_of(options)) {
      const auto is_listed = [&](const OptionRow& row) { return !row.key.empty() && listed_by.contains(row.key); };
      if (std::ranges::all_of(section.rows, is_listed)) {
        page.same_as = listed_by[section.rows.front().key];
        page.same_titles.push_back(section.title);
        continue;
      }
      for (const OptionRow& row : section.rows)
        if (!row.key.empty()) listed_by.emplace(row.key, command->name);
      page.sections.push_back(std::move(section));
    }
    pages.push_back(std::move(page));
  }
  return pages;
}

std::string escape_markdown(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

std::string markdown_table(const Section& section, bool with_keys) {
  const auto code = [](const std::string& text) { return text.empty() ? "" : fmt::format("`{}`", text); };
  std::string out = section.title.empty() ? "\n" : fmt::format("\n{}:\n\n", section.title);
  out += fmt::format("| option | {}default | allowed | meaning |\n", with_keys ? "key | " : "");
  out += fmt::format("|---|{}---|---|---|\n", with_keys ? "---|" : "");
  for (const OptionRow& row : section.rows)
    out += fmt::format("| {} | {}{} | {} | {} |\n", row.flag.empty() && !row.positional ? "" : code(row.label),
                       with_keys ? code(row.key) + " | " : "",
                       row.default_value == "required" ? "required" : code(row.default_value), row.allowed,
                       escape_markdown(row.help));
  return out;
}

// A line of text for roff: hyphens that can be copied, nothing that roff would take for a request.
std::string roff(std::string_view text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  for (std::size_t at = 0; (at = out.find("…", at)) != out.npos;) out.replace(at, std::string_view("…").size(), "...");
  return out;
}

std::string roff_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    out += roff(line) + "\n";
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return out;
}

// The body of a `case` over the word before the one to complete.
std::string bash_values(const std::vector<OptionRow>& rows) {
  std::string out, flags = "--help", keys;
  for (const OptionRow& row : rows) {
    if (!row.flag.empty()) flags += " " + row.flag;
    if (!row.key.empty()) keys += (keys.empty() ? "" : " ") + row.key + "=";
    if (row.takes_value && row.flag != "--set")
      out += fmt::format("        {}) words=\"{}\" ;;\n", row.flag, fmt::join(row.choices, " "));
  }
  if (!keys.empty()) out += fmt::format("        --set) compopt -o nospace 2> /dev/null; words=\"{}\" ;;\n", keys);
  return fmt::format("{}        *) [[ $current == -* ]] && words=\"{}\" ;;\n", out, flags);
}

}  // namespace

std::string options_page(std::span<const Command* const> commands) {
  std::string page =
      "# Options\n\n"
      "Every command with every option, written by `heed docs options` from the declarations in the code. A setting "
      "with a\n"
      "key can also stand in a configuration file or behind `--set`. The defaults are those of the default preset;\n"
      "`heed train --preset NAME --help` shows another one's.\n";
  for (const CommandPage& command : command_pages(commands)) {
    const auto has_key = [](const OptionRow& row) { return !row.key.empty(); };
    const bool with_keys = std::ranges::any_of(
        command.sections, [&](const Section& section) { return std::ranges::any_of(section.rows, has_key); });
    page += fmt::format("\n## heed {}\n\n{}: `{}`\n", command.command->name, command.command->summary, command.usage);
    for (const Section& section : command.sections) page += markdown_table(section, with_keys);
    if (!command.same_titles.empty()) page += fmt::format("\n{}\n", command.same_sentence());
  }
  return page;
}

std::string man_page(std::span<const Command* const> commands, std::string_view with_version) {
  std::string page = fmt::format(
      ".TH HEED 1 \"\" \"{}\" \"User Commands\"\n"
      ".SH NAME\nheed \\- neural machine translation with attention\n"
      ".SH SYNOPSIS\n.B heed\n.I COMMAND\n.RI [ arguments ]\n"
      ".SH DESCRIPTION\n{}\nEvery command also takes \\-\\-help.\n.SH COMMANDS\n",
      roff(with_version), roff(kAbout));
  std::string examples;
  for (const CommandPage& command : command_pages(commands)) {
    page += fmt::format(".SS heed {}\n{}.\n.PP\n.B {}\n", command.command->name, roff(command.command->summary),
                        roff(command.usage));
    for (const Section& section : command.sections) {
      if (!section.title.empty()) page += fmt::format(".PP\n{}:\n", roff(section.title));
      for (const OptionRow& row : section.rows)
        page += fmt::format(".TP\n.B {}\n{}\n", roff(row.label), roff(row.help + row.remark));
    }
    if (!command.same_titles.empty()) page += fmt::format(".PP\n{}\n", roff(command.same_sentence()));
    examples +=
        fmt::format(".PP\nheed {}:\n.PP\n.EX\n{}.EE\n", command.command->name, roff_lines(command.command->example));
  }
  return page + ".SH EXIT STATUS\n.TP\n.B 0\nDone.\n.TP\n.B 1\nThe work failed.\n.TP\n.B 2\nWrong usage.\n" +
         ".SH EXAMPLES\n" + examples;
}

std::string bash_completions(std::span<const Command* const> commands) {
  std::map<std::string, std::string> second_words;  // by the first
  std::string cases;
  for (const Command* command : commands) {
    if (command->hidden) continue;
    const std::size_t space = command->name.find(' ');
    std::string& seconds = second_words[std::string(command->name.substr(0, space))];
    if (space != command->name.npos) seconds += std::string(command->name.substr(space));
    Options options(command->name);
    const auto action = command->make();
    action->declare(options);
    cases += fmt::format("    \"{} \"*)\n      case $previous in\n{}      esac ;;\n", command->name,
                         bash_values(options.rows()));
  }
  std::string firsts;
  for (const auto& [first, seconds] : second_words) {
    firsts += (firsts.empty() ? "" : " ") + first;
    if (!seconds.empty())
      cases = fmt::format("    \"{} \"*) ((COMP_CWORD == 2)) && words=\"{}\" ;;&\n", first, seconds.substr(1)) + cases;
  }
  return fmt::format(
      "# Completion for bash, written by `heed docs completions`. Words that are not known are files.\n"
      "_heed() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} words=\n"
      "  case \"${{COMP_WORDS[*]:1:COMP_CWORD - 1}} \" in\n"
      "    \" \") words=\"{} --help --version\" ;;\n"
      "{}  esac\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "}}\n"
      "complete -o default -F _heed heed\n",
      firsts, cases);
}

}  // namespace heed::cli
