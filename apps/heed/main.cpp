// Finds the command, parses its arguments, runs it, and turns every failure into one sentence.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "base/error.h"
#include "base/nearest.h"
#include "base/system.h"
#include "base/utf8.h"
#include "command.h"
#include "job.h"

namespace heed::cli {

void write_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    throw InputError("cannot write to standard output: {}", system_message(errno));
}

void print_json(const Json& json) {
  const std::string text = dump_json(json);
  std::string line;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view sequence = rest.substr(0, utf8_sequence_length(rest));
    rest.remove_prefix(sequence.size());
    const std::string escaped = is_printable(sequence) ? "" : Json(sequence).dump(-1, ' ', true);  // "\u009b"
    line += escaped.empty() ? sequence : std::string_view(escaped).substr(1, escaped.size() - 2);
  }
  write_output(line + "\n");
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw InputError("cannot write to standard output: {}", system_message(errno));
}

std::string program_name() {
  return quote_word(program_invocation_name);
}

namespace {

int run_command(std::span<const std::string> words) {
  const Command& command = find_command(words);
  const bool two_words = command.name.find(' ') != command.name.npos;
  Options options(command.name);
  const auto action = command.make();
  action->declare(options);
  const auto arguments = words.subspan(two_words ? 2 : 1);
  if (options.parse(arguments)) {
    options.check_files();
    return action->run(options);
  }
  write_output(help_of(command, arguments));
  return 0;
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    write_output(overview());
    return 0;
  }
  if (words[0] == "--version" || words[0] == "-V") {
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
  if (words[0] == "help" && words.size() > 1) {  // its arguments may be options of other commands
    std::vector<std::string> guarded = words;
    guarded.insert(guarded.begin() + 1, "--");
    return run_command(guarded);
  }
  return run_command(words);
}

// Prints one line to standard error, printable whatever names and values it contains.
int fail(int code, std::string_view sentence, std::string_view prefix = "") noexcept {
  constexpr std::size_t kLongest = 10'000;
  std::fflush(stdout);
  try {
    say(fmt::format("heed: {}{}{}\n", rank_prefix_after_main_rank(), prefix, printable(sentence, kLongest)));
  } catch (...) {
    say("heed: out of memory\n");
  }
  abort_job(code);
  return code;
}

constexpr std::string_view kOutOfMemory =
    "out of memory; try a smaller batch or model, less text at once, or a machine with more memory";

// Errors of the library are complete sentences; other exceptions get one here.
int run(const std::vector<std::string>& arguments) {
  constexpr std::string_view kBug = "a bug in heed, please report it: ";
  try {
    join_job(arguments);
    const int code =
        dispatch({arguments.begin() + std::min<std::ptrdiff_t>(1, std::ssize(arguments)), arguments.end()});
    flush_output();
    leave_job();
    return code;
  } catch (const UsageError& error) {
    return fail(2, error.what());
  } catch (const InternalError& error) {
    return fail(1, error.what(), kBug);
  } catch (const Error& error) {
    return fail(1, error.what());
  } catch (const std::bad_alloc&) {
    return fail(1, kOutOfMemory);
  } catch (const std::length_error&) {  // a container larger than any memory
    return fail(1, kOutOfMemory);
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(1, fmt::format("cannot use {}: {}", in_quotes(error.path1().string()), error.code().message()));
  } catch (const std::system_error& error) {
    return fail(1, error.code() == std::errc::resource_unavailable_try_again
                       ? "the system allows no more threads; use fewer with --threads"
                       : fmt::format("a system call failed: {}", error.code().message()));
  } catch (const Json::exception&) {
    return fail(1, "some JSON that heed read does not have the expected form; is one of the files damaged?");
  } catch (const std::exception& error) {
    return fail(1, error.what(), kBug);
  } catch (...) {
    return fail(1, "an unknown exception", kBug);
  }
}

// For an exception that nothing can catch, such as one in a thread of a library. Does not allocate.
[[noreturn]] void end_process() {
  const auto end_with = [](std::string_view sentence) {
    for (const std::string_view part : {std::string_view("heed: "), sentence, std::string_view("\n")}) say(part);
    _exit(1);
  };
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    end_with(kOutOfMemory);
  } catch (...) {
  }
  end_with("a library failed, most likely for lack of memory or threads; try less text or fewer threads");
  std::abort();
}

// Models and indexed text are memory-mapped: reading past the end of a truncated file raises SIGBUS.
void report_truncated_file(int /*signal*/) {
  constexpr std::string_view kSentence =
      "heed: a file in use was truncated by another program, or its disk failed; restore it and run again\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kSentence.data(), kSentence.size());
  _exit(1);
}

// If a standard descriptor is closed, the next file to be opened would get its number, and be read as input or receive
// messages. /dev/null takes its place, opened for the wrong direction: using it fails, as for a closed descriptor.
void occupy_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      if (::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) _exit(1);
}

}  // namespace
}  // namespace heed::cli

int main(int argc, char** argv) {
  heed::cli::occupy_closed_descriptors();
  // A closed pipe ends the program quietly, like other filters, even if the parent process ignores the signal.
  std::signal(SIGPIPE, SIG_DFL);
  // Report RLIMIT_FSIZE as a failed write(), like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(heed::cli::end_process);
  std::signal(SIGBUS, heed::cli::report_truncated_file);
  return heed::cli::run({argv, argv + argc});
}
