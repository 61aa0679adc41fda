#include "translate_prompt.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "base/nearest.h"
#include "base/numbers.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "command.h"
#include "line_editor.h"
#include "viz/heatmap.h"

namespace heed::cli {

void collect_unknown_words(const translate::LineResult& result, std::vector<std::string>& words) {
  constexpr std::string_view kAround = ".,;:!?\"'()[]";
  for (const translate::Warning& warning : result.warnings) {
    if (warning.kind != translate::Warning::Kind::unknown) continue;
    const std::size_t from = warning.text.find_first_not_of(kAround);
    if (from == std::string::npos) continue;
    std::string word = warning.text.substr(from, warning.text.find_last_not_of(kAround) + 1 - from);
    if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
  }
}

std::string unknown_note(std::span<const std::string> words) {
  constexpr std::size_t kMost = 10;
  return fmt::format("unknown to this model: {}{}", fmt::join(words.first(std::min(words.size(), kMost)), ", "),
                     words.size() > kMost ? fmt::format(" and {} more", words.size() - kMost) : "");
}

namespace translate_prompt {

class Prompt {
 public:
  Prompt(translate::Translator& translator, const translate::TextOptions& text, translate::TranslateOptions options)
      : translator_(translator), layer_(translator, text), options_(std::move(options)) {
    options_.search.attention = translator.has_attention();
    options_.warnings = is_terminal(STDERR_FILENO);
  }

  int run() {
    LineEditor editor("> ", history_file());
    say("Type text to translate; :help lists the commands, Ctrl-D exits.\n");
    while (!quit_) {
      const std::optional<std::string> line = editor.next();
      if (!line) {
        write_output("\n");  // after the prompt
        break;
      }
      try {
        take(*line);
      } catch (const Error& error) {
        say("heed: {}\n", error.what());
      }
      flush_output();
    }
    return 0;
  }

 private:
  struct Command {
    std::string_view name, argument, about;
    void (Prompt::*run)(std::string_view argument);
  };
  static std::span<const Command> commands();

  void take(const std::string& line) {
    if (line.find_first_not_of(" \t") == line.npos) return;
    if (!line.starts_with(':')) return translate(line);
    const std::size_t space = std::min(line.find(' '), line.size());
    std::string_view argument = std::string_view(line).substr(space);
    argument.remove_prefix(std::min(argument.find_first_not_of(' '), argument.size()));
    (this->*find_row(commands(), line.substr(0, space), "there is no command").run)(argument);
  }

  void translate(const std::string& line) {
    last_ = line;
    result_ = std::move(layer_.translate(translate::requests_for(std::span(&line, 1)), options_).front());
    for (std::size_t i = 0; i < result_.translations.size(); ++i) {
      const translate::Translation& translation = result_.translations[i];
      const std::string text = printable(translation.text, std::string::npos);
      write_output(options_.search.nbest == 1 ? text + "\n"
                                              : fmt::format("{}. {}  ({:.3f})\n", i + 1, text, translation.score));
    }
    std::vector<std::string> unknown;
    collect_unknown_words(result_, unknown);
    if (!unknown.empty()) print_note("{}", unknown_note(unknown));
  }

  void attend(std::string_view text) {
    check<UsageError>(translator_.has_attention(), "the model has no attention");
    if (!text.empty()) translate(std::string(text));
    check<UsageError>(result_.done(), "nothing has been translated yet; type a sentence, or :attend TEXT");
    const auto& parts = result_.chunks.empty() ? std::span(&result_, 1) : std::span(result_.chunks);
    const viz::TerminalOptions screen{.color = viz::terminal_color(STDOUT_FILENO),
                                      .width = terminal_width(STDOUT_FILENO, 100)};
    for (const translate::LineResult& part : parts) {
      if (part.best().attention.target.empty() || part.best().attention.source.empty()) continue;
      write_output(viz::heatmap_terminal({.attention = part.best().attention, .links = {}}, screen));
    }
  }

  void set_beam(std::string_view argument) {
    read_number(":beam", argument, options_.search.beam);
    options_.search.nbest = std::min(options_.search.nbest, options_.search.beam);
  }

  void set_nbest(std::string_view argument) {
    read_number(":nbest", argument, options_.search.nbest);
    options_.search.beam = std::max(options_.search.beam, options_.search.nbest);
    if (!argument.empty() && !last_.empty()) translate(std::string(last_));
  }

  // Without an argument, prints the number.
  static void read_number(std::string_view command, std::string_view argument, int& number) {
    constexpr int kMost = 1000;
    if (argument.empty()) return write_output("{} {}\n", command, number);
    int value = 0;
    check<UsageError>(parse_number(argument, value) == std::errc() && value >= 1 && value <= kMost,
                      "{} {}: expected a whole number from 1 to {}", command, in_quotes(argument), kMost);
    number = value;
  }

  void help(std::string_view /*argument*/) {
    for (const Command& command : commands())
      write_output("  {:<16} {}\n", fmt::format("{} {}", command.name, command.argument), command.about);
    write_output("A line that begins with a space is always text. Ctrl-C discards a line, Ctrl-D exits.\n");
  }

  void quit(std::string_view /*argument*/) { quit_ = true; }

  translate::Translator& translator_;
  translate::TextLayer layer_;
  translate::TranslateOptions options_;
  translate::LineResult result_;
  std::string last_;  // the text of result_
  bool quit_ = false;
};

std::span<const Prompt::Command> Prompt::commands() {
  static constexpr Command kCommands[] = {
      {":attend", "[TEXT]", "show the attention of the last sentence, or of this text", &Prompt::attend},
      {":nbest", "[N]", "show the N best translations of the last sentence, and of each that follows",
       &Prompt::set_nbest},
      {":beam", "[N]", "set the beam size; 1 is greedy search", &Prompt::set_beam},
      {":help", "", "list these commands", &Prompt::help},
      {":quit", "", "leave the prompt", &Prompt::quit}};
  return kCommands;
}

}  // namespace translate_prompt

int run_translate_prompt(translate::Translator& translator, const translate::TextOptions& text,
                         translate::TranslateOptions options) {
  return translate_prompt::Prompt(translator, text, std::move(options)).run();
}

}  // namespace heed::cli
