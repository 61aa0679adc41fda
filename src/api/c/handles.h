// The handles of the C API. A handle is a number that is never used twice, not an address: whatever a caller passes, an
// object is found or it is not. An object lives until it is freed and every call that uses it has returned. The table
// of handles is the only state of the C API. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/error.h"

namespace heed::api {

template <class Object>
class Handles {
 public:
  // The handle of a new object.
  std::uintptr_t add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    next_ += 16;
    objects_.emplace(next_, std::move(object));
    return next_;
  }
  // UsageError if there is no such object; `kind` names what was expected.
  std::shared_ptr<Object> find(std::uintptr_t handle, const char* kind) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    check<UsageError>(found != objects_.end(), "{} is {}; expected one that was opened and not yet freed", kind,
                      handle == 0 ? "NULL" : "not a valid handle");
    return found->second;
  }
  // The object is destroyed here, without the lock, unless a call still uses it.
  void remove(std::uintptr_t handle) {
    std::shared_ptr<Object> removed;
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return;
    removed = std::move(found->second);
    objects_.erase(found);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> objects_;
  std::uintptr_t next_ = Object::kKind;  // 1 to 15: a handle of one kind is never one of another
};

}  // namespace heed::api
