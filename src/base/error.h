// The errors heed throws. what() is one sentence for a person: the value, what was expected, where, the way out.
// The library throws and never prints or exits; the command line turns a UsageError into exit 2, the rest into exit 1.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace heed::inline base {

class Error : public std::runtime_error {
 public:
  template <class... Args>
  explicit Error(fmt::format_string<Args...> sentence, Args&&... args)
      : std::runtime_error(fmt::format(sentence, std::forward<Args>(args)...)) {}
};

// The user asked for something that does not exist or does not fit: a flag, a command, a config key, a value.
class UsageError : public Error {
  using Error::Error;
};

// The world is not as needed: a file that is missing, damaged or not writable, a disk that is full.
class InputError : public Error {
  using Error::Error;
};

// Two parts of a program do not fit together: shapes, types, ids out of range. Thrown before any work is done.
class ShapeError : public Error {
  using Error::Error;
};

// A promise inside heed was broken: always a bug of ours.
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
