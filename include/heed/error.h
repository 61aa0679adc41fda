// The only exception that heed's functions throw, unless a callback of the caller throws another one, which passes
// through unchanged.
#pragma once

#include <stdexcept>
#include <string>

#include "heed/version.h"

namespace heed {

enum class ErrorKind {
  usage,     // the request is invalid: an option, a name, a value
  input,     // the environment is at fault: a file is missing or damaged, a disk or the memory is full
  internal,  // a bug in heed
};

// what() is one sentence for people: the value, what was expected, where, and what to do.
class HEED_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& sentence) : std::runtime_error(sentence), kind_(kind) {}
  Error(const Error&) = default;
  ~Error() override;

  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace heed
