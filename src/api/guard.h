// The boundary of the public API: whatever the library throws becomes a heed::Error; what a callback of the caller
// throws passes through.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "heed/error.h"

namespace heed::api {

// Called while an exception is handled: throws the heed::Error that stands for it.
[[noreturn]] void rethrow_as_error();

// Runs `work`, converting exceptions.
template <class Work>
auto guarded(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    rethrow_as_error();
  }
}

// Keeps the first exception of a callback until the library has stopped its work.
class CallbackException {
 public:
  // Returns what `call` returns, or `otherwise` if it throws now or has thrown before.
  template <class Call, class Result>
  Result run(const Call& call, Result otherwise) noexcept {
    if (thrown_) return otherwise;
    try {
      return call();
    } catch (...) {
      thrown_ = std::current_exception();
      return otherwise;
    }
  }
  // Throws the exception again, if there was one; outside guarded().
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::exception_ptr thrown_;
};

}  // namespace heed::api
