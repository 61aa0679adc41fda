// The errors heed throws. what() is one sentence for the user: the value, what was expected, where, and what to do.
// Values in it come from files and command lines, so every string is made printable, and overlong ones are cut. The
// library throws and never prints or exits; the command line turns a UsageError into exit 2, the rest into exit 1.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "base/utf8.h"
#include "heed/error.h"

namespace heed::inline base {

// heed::Error (heed/error.h), with a sentence that is formatted.
template <ErrorKind kKind>
class ErrorOf : public Error {
 public:
  template <class... Args>
  explicit ErrorOf(fmt::format_string<Args...> sentence, Args&&... args)
      : Error(kKind, fmt::format(fmt::runtime(sentence), printable_argument(args)...)) {}
};

// The user's request is invalid: a flag, a command, a config key, a value.
class UsageError : public ErrorOf<ErrorKind::usage> {
  using ErrorOf::ErrorOf;
};

// The environment is at fault: a file is missing, damaged or not writable, a disk is full.
class InputError : public ErrorOf<ErrorKind::input> {
  using ErrorOf::ErrorOf;
};

// Arguments do not fit together: shapes, types, ids out of range. Thrown before any work is done.
class ShapeError : public ErrorOf<ErrorKind::usage> {
  using ErrorOf::ErrorOf;
};

// An invariant of heed is broken: always a bug in heed.
class InternalError : public ErrorOf<ErrorKind::internal> {
  using ErrorOf::ErrorOf;
};

// check(x.rank() == 2, "softmax: x has rank {}, expected 2", x.rank());
template <class Failure = ShapeError, class... Args>
void check(bool holds, fmt::format_string<Args...> sentence, Args&&... args) {
  if (!holds) [[unlikely]]
    throw Failure(sentence, std::forward<Args>(args)...);
}

}  // namespace heed::base
