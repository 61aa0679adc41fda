// Reads lines from a terminal with editing keys and a history, with libedit. The library is loaded when the first
// editor is made, so that other commands neither need it nor wait for it; without it, lines are read as they are typed.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace heed::cli {

class LineEditor {
 public:
  // The history is read from this file, and written to it at the end; empty: no history.
  LineEditor(std::string prompt, std::string history_file);
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;
  ~LineEditor();

  // The next line, without its end; nothing at the end of the input (Ctrl-D). Ctrl-C discards what has been typed.
  std::optional<std::string> next();

 private:
  struct Library;
  std::string prompt_;
  std::unique_ptr<Library> library_;
};

// $XDG_STATE_HOME/heed/history, by default in ~/.local/state. Creates the directory; "" if that is impossible.
std::string history_file();

}  // namespace heed::cli
