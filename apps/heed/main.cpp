// Finds the command, parses its arguments, runs it, and turns every failure into one sentence.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>

#include "base/error.h"
#include "base/nearest.h"
#include "base/system.h"
#include "base/utf8.h"
#include "command.h"

namespace heed::cli {

void write_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    throw InputError("cannot write to standard output: {}", system_message(errno));
}

void print_json(const Json& json) {
  write_output(dump_json(json) + "\n");
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw InputError("cannot write to standard output: {}", system_message(errno));
}

namespace {

int run_command(std::span<const std::string> words) {
  const Command& command = find_command(words);
  const bool two_words = command.name.find(' ') != command.name.npos;
  Options options(command.name);
  const auto action = command.make();
  action->declare(options);
  const auto arguments = words.subspan(two_words ? 2 : 1);
  if (options.parse(arguments)) return action->run(options);
  write_output(help_of(command, arguments));
  return 0;
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    write_output(overview());
    return 0;
  }
  if (words[0] == "--version") {
    write_output(version() + "\n");
    return 0;
  }
  if (words[0].starts_with('-')) {
    const std::vector<std::string> known = {"--help", "--version"};
    throw UsageError("there is no option {}{} (usage: heed COMMAND [arguments])", in_quotes(words[0]),
                     did_you_mean(words[0], known));
  }
  const bool wants_help = words.size() == 2 && (words[1] == "--help" || words[1] == "-h");
  if (wants_help) return run_command(std::vector<std::string>{"help", words[0]});
  return run_command(words);
}

// Prints one line to standard error, with control characters and invalid UTF-8 from file names or files replaced.
int fail(int code, std::string_view sentence) {
  std::string line = replace_bad_utf8(sentence);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  std::fflush(stdout);
  fmt::print(stderr, "heed: {}\n", line);
  return code;
}

int run(const std::vector<std::string>& words) {
  try {
    const int code = dispatch(words);
    flush_output();
    return code;
  } catch (const UsageError& error) {
    return fail(2, error.what());
  } catch (const InternalError& error) {
    return fail(1, fmt::format("a bug in heed, please report it: {}", error.what()));
  } catch (const std::bad_alloc&) {
    return fail(1, "out of memory; try a smaller batch or model, less text at once, or a machine with more");
  } catch (const std::exception& error) {
    return fail(1, error.what());
  } catch (...) {
    return fail(1, "a bug in heed, please report it: an unknown exception");
  }
}

// Models and indexed text are memory-mapped: reading past the end of a truncated file raises SIGBUS.
void report_truncated_file(int /*signal*/) {
  constexpr std::string_view kSentence =
      "heed: a file in use was truncated by another program, or its disk failed; restore it and run again\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kSentence.data(), kSentence.size());
  _exit(1);
}

}  // namespace
}  // namespace heed::cli

int main(int argc, char** argv) {
  // A closed pipe ends the program quietly, like other filters, even if the parent process ignores the signal.
  std::signal(SIGPIPE, SIG_DFL);
  // Report RLIMIT_FSIZE as a failed write(), like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, heed::cli::report_truncated_file);
  return heed::cli::run(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
}
