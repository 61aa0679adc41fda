// Which files a command reads and writes, as its options declare them.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/options.h"
#include "base/utf8.h"

namespace heed::inline base {

struct Options::NamedFile {
  std::string flag;   // "--output"; "" for an argument
  std::string value;  // as given
  std::string path;   // the same, or one of the files that the value stands for

  // "--output 'a.txt'", "the argument 'a.txt'"
  std::string label() const { return fmt::format("{} {}", flag.empty() ? "the argument" : flag, in_quotes(value)); }
};

namespace {

using Status = struct stat;

// The regular file behind a path or descriptor; pipes, terminals and devices may be read and written at once.
struct RegularFile {
  std::string label;  // for messages: "--output 'a.txt'", "standard input"
  std::string flag;   // "" for arguments and descriptors
  std::string path;   // if it differs from the value that the user gave; otherwise ""
  Status status;

  bool is(const RegularFile& other) const {
    return status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino;
  }
};

void add_descriptor(std::vector<RegularFile>& files, int descriptor, const char* label) {
  Status status{};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) files.push_back({label, "", "", status});
}

template <class Names>
std::vector<RegularFile> regular_files(const Names& names) {
  std::vector<RegularFile> files;
  for (const auto& name : names) {
    Status status{};
    if (::stat(name.path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      files.push_back({name.label(), name.flag, name.path == name.value ? "" : name.path, status});
  }
  return files;
}

}  // namespace

void Options::check_declarations() const {
  constexpr std::string_view kFileWords[] = {"FILE", "MODEL", "CONFIG", "DIR", "PREFIX"};
  for (const Option& option : options_) {
    const std::string shown = label(option);
    const bool takes_file =
        std::ranges::any_of(kFileWords, [&](std::string_view word) { return shown.find(word) != shown.npos; });
    check<InternalError>(!takes_file || option.use_ != Option::Use::none,
                         "{} takes a file, but its declaration says neither reads() nor writes()", shown);
  }
}

std::vector<Options::NamedFile> Options::files(Option::Use use) const {
  std::vector<NamedFile> found;
  for (const Option& option : options_) {
    if (option.use_ != use) continue;
    const std::string& flag = option.name_.empty() ? option.key_ : option.name_;
    const TomlValue value = current(option);
    const auto* list = std::get_if<std::vector<std::string>>(&value);
    for (const std::string& name : list ? *list : std::vector{std::get<std::string>(value)}) {
      std::vector<std::string> paths = option.files_ ? option.files_(name) : std::vector{name};
      // In a configuration file, and for a flag that overrides one, an empty name means that there is no such file.
      check<UsageError>(
          !name.empty() || paths.empty() || !option.key_.empty() || option.source_ != Option::Source::command_line,
          "{} is empty; give it a name{}", flag.empty() ? option.positional_ : flag,
          option.required_ || option.min_count_ > 0 ? "" : " or leave it out");
      if (name.empty()) continue;
      for (std::string& path : paths) found.push_back({flag, name, std::move(path)});
    }
  }
  return found;
}

void Options::check_files() const {
  const std::vector<NamedFile> read = files(Option::Use::read), written = files(Option::Use::written);
  const auto is_stdin = [](const NamedFile& file) { return file.path == "-"; };
  if (const auto first = std::ranges::find_if(read, is_stdin); first != read.end())
    if (const auto second = std::find_if(first + 1, read.end(), is_stdin); second != read.end())
      throw UsageError("{} and {} cannot both be standard input (-); give one of them a file",
                       first->flag.empty() ? "an argument" : first->flag,
                       second->flag.empty() ? "another argument" : second->flag);

  std::vector<RegularFile> inputs = regular_files(read), outputs = regular_files(written);
  add_descriptor(inputs, STDIN_FILENO, "standard input");
  add_descriptor(outputs, STDOUT_FILENO, "standard output");
  for (const RegularFile& output : outputs)
    for (const RegularFile& input : inputs) {
      if (!output.is(input)) continue;
      if (!output.path.empty())
        throw UsageError("{} would overwrite {}, which {} reads; choose another name",
                         output.flag.empty() ? output.label : output.flag, in_quotes(output.path),
                         input.flag.empty() ? "the command" : input.flag);
      throw UsageError("{} is the same file as {}{}, which would be lost; write to another file", output.label,
                       input.path.empty() ? "" : fmt::format("{} of ", in_quotes(input.path)), input.label);
    }
}

std::vector<Options::Setting> Options::settings() const {
  std::vector<Setting> found;
  for (const Option& option : options_) {
    if (option.may_change_ || option.use_ == Option::Use::written) continue;
    const std::string& flag = option.name_.empty() ? option.key_ : option.name_;
    const TomlValue value = current(option);
    Setting setting{flag.empty() ? option.positional_ : flag, heed::to_toml(value), {}};
    const auto* list = std::get_if<std::vector<std::string>>(&value);
    if (option.use_ == Option::Use::read) {
      setting.files = list ? *list : std::vector{std::get<std::string>(value)};
      std::erase(setting.files, "");
    }
    if (option.files_) {
      std::vector<std::string> files;
      for (const std::string& name : setting.files) std::ranges::move(option.files_(name), std::back_inserter(files));
      setting.files = std::move(files);
    }
    found.push_back(std::move(setting));
  }
  return found;
}

}  // namespace heed::base
