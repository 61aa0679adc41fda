// The errors heed throws. what() is one sentence for the user: the value, what was expected, where, and what to do.
// Values in it come from files and command lines, so every string is made printable, and overlong ones are cut. The
// library throws and never prints or exits; the command line turns a UsageError into exit 2, the rest into exit 1.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "base/utf8.h"

namespace heed::inline base {

class Error : public std::runtime_error {
 public:
  template <class... Args>
  explicit Error(fmt::format_string<Args...> sentence, Args&&... args)
      : std::runtime_error(fmt::format(fmt::runtime(sentence), printable_argument(args)...)) {}
};

// The user's request is invalid: a flag, a command, a config key, a value.
class UsageError : public Error {
  using Error::Error;
};

// The environment is at fault: a file is missing, damaged or not writable, a disk is full.
class InputError : public Error {
  using Error::Error;
};

// Arguments do not fit together: shapes, types, ids out of range. Thrown before any work is done.
class ShapeError : public Error {
  using Error::Error;
};

// An invariant of heed is broken: always a bug in heed.
class InternalError : public Error {
  using Error::Error;
};

// check(x.rank() == 2, "softmax: x has rank {}, expected 2", x.rank());
template <class Failure = ShapeError, class... Args>
void check(bool holds, fmt::format_string<Args...> sentence, Args&&... args) {
  if (!holds) [[unlikely]]
    throw Failure(sentence, std::forward<Args>(args)...);
}

}  // namespace heed::base
