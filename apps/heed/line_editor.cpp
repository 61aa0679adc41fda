#include "line_editor.h"

#include <dlfcn.h>
#include <histedit.h>
#include <langinfo.h>
#include <sys/stat.h>

#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "command.h"

namespace heed::cli {

namespace {

constexpr int kHistorySize = 1000;

// libedit calls back without an argument of ours; there is one terminal.
const char* prompt_text = "";
bool discarded = false;

char* give_prompt(EditLine* /*editor*/) {
  return const_cast<char*>(prompt_text);
}

// libedit's handler resets the terminal, and prepares it again when the process continues.
unsigned char suspend(EditLine* /*editor*/, int /*key*/) {
  ::raise(SIGTSTP);
  return CC_REFRESH;
}

unsigned char discard_line(EditLine* /*editor*/, int /*key*/) {
  discarded = true;
  return CC_NEWLINE;
}

}  // namespace

struct LineEditor::Library {
  decltype(&::el_init) init = nullptr;
  decltype(&::el_end) end = nullptr;
  decltype(&::el_set) set = nullptr;
  decltype(&::el_gets) gets = nullptr;
  decltype(&::el_source) source = nullptr;
  decltype(&::history_init) history_init = nullptr;
  decltype(&::history_end) history_end = nullptr;
  decltype(&::history) history = nullptr;

  EditLine* editor = nullptr;
  History* past = nullptr;
  std::string file;
  std::vector<std::string> lines;  // the history, oldest first

  // False if the library is missing or the terminal cannot be used.
  bool open() {
    void* const handle = ::dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    const auto load = [&](auto& function, const char* name) {
      function = handle == nullptr
                     ? nullptr
                     : reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
      return function != nullptr;
    };
    if (!load(init, "el_init") || !load(end, "el_end") || !load(set, "el_set") || !load(gets, "el_gets") ||
        !load(source, "el_source") || !load(history_init, "history_init") || !load(history_end, "history_end") ||
        !load(history, "history"))
      return false;
    // Only for which bytes form a character: numbers keep the C locale's spelling.
    if (std::setlocale(LC_CTYPE, "") == nullptr || std::string_view(::nl_langinfo(CODESET)) != "UTF-8")
      std::setlocale(LC_CTYPE, "C.UTF-8");
    if ((editor = init("heed", stdin, stdout, stdout)) == nullptr) return false;
    set(editor, EL_PROMPT, give_prompt);
    set(editor, EL_EDITOR, "emacs");
    set(editor, EL_SIGNAL, 1);
    // While a line is edited, Ctrl-C and Ctrl-Z are keys, not signals.
    set(editor, EL_SETTY, "-d", "-isig", nullptr);
    set(editor, EL_ADDFN, "discard-line", "start again with an empty line", discard_line);
    set(editor, EL_BIND, "^C", "discard-line", nullptr);
    set(editor, EL_ADDFN, "suspend", "return to the shell for a while", suspend);
    set(editor, EL_BIND, "^Z", "suspend", nullptr);
    HistEvent event{};
    if ((past = history_init()) != nullptr) {
      history(past, &event, H_SETSIZE, kHistorySize);
      history(past, &event, H_SETUNIQUE, 1);
      set(editor, EL_HIST, history, past);
    }
    source(editor, nullptr);
    return true;
  }

  void remember(const std::string& line) {
    if (line.empty() || (!lines.empty() && lines.back() == line)) return;
    lines.push_back(line);
    HistEvent event{};
    if (past != nullptr) history(past, &event, H_ENTER, line.c_str());
  }

  void read_history() {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return;
    try {
      LineReader reader(file);
      for (std::string line; reader.next(line);)
        if (line.find('\0') == line.npos) remember(line);
    } catch (const Error&) {
      file.clear();  // not ours, or not readable: leave it alone
    }
  }

  void write_history() noexcept {
    if (file.empty()) return;
    try {
      std::string text;
      const std::size_t first = lines.size() - std::min<std::size_t>(lines.size(), kHistorySize);
      for (std::size_t i = first; i < lines.size(); ++i) text += lines[i] + "\n";
      write_file_atomically(file, text);
      ::chmod(file.c_str(), S_IRUSR | S_IWUSR);
    } catch (...) {  // a history is not worth a message
    }
  }
};

LineEditor::LineEditor(std::string prompt, std::string file) : prompt_(std::move(prompt)) {
  auto library = std::make_unique<Library>();
  if (!library->open()) return;
  library->file = std::move(file);
  library->read_history();
  library_ = std::move(library);
}

LineEditor::~LineEditor() {
  if (!library_) return;
  library_->write_history();
  library_->end(library_->editor);
  if (library_->past != nullptr) library_->history_end(library_->past);
}

std::optional<std::string> LineEditor::next() {
  if (!library_) {
    write_output(prompt_);
    flush_output();
    std::string line;
    int c = 0;
    while ((c = std::getchar()) != EOF && c != '\n') line += static_cast<char>(c);
    if (c == EOF && line.empty()) return {};
    return line;
  }
  prompt_text = prompt_.c_str();
  for (;;) {
    discarded = false;
    int count = 0;
    const char* const text = library_->gets(library_->editor, &count);
    if (discarded) {
      write_output("^C\n");
      flush_output();
      continue;
    }
    if (text == nullptr || count <= 0) return {};
    std::string line(text, static_cast<std::size_t>(count));
    while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
    library_->remember(line);
    return line;
  }
}

std::string history_file() {
  namespace fs = std::filesystem;
  const char *state = std::getenv("XDG_STATE_HOME"), *home = std::getenv("HOME");
  fs::path directory;
  // The specification of these directories says to ignore relative paths.
  if (state != nullptr && fs::path(state).is_absolute())
    directory = state;
  else if (home != nullptr && fs::path(home).is_absolute())
    directory = fs::path(home) / ".local/state";
  else
    return "";
  directory /= "heed";
  std::error_code error;
  fs::create_directories(directory, error);
  return error ? "" : (directory / "history").string();
}

}  // namespace heed::cli
