// What the functions of the C API share: errors, structs that grow, lists of strings.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "api/guard.h"
#include "base/error.h"
#include "heed/heed.h"
#include "heed/settings.h"

namespace heed::api {

// Writes an error for the caller, who may have passed NULL; returns the status.
heed_status fail(heed_error* error, heed_status status, const char* message) noexcept;
// The same for the exception that is being handled.
heed_status fail_with_current(heed_error* error) noexcept;

// Runs the body of a function; nothing of C++ leaves it.
template <class Work>
heed_status run(heed_error* error, const Work& work) noexcept {
  try {
    return work();
  } catch (...) {
    return fail_with_current(error);
  }
}

// Options as the caller knows them, extended with zeros if the caller was compiled with an older header. UsageError if
// their size is not set.
template <class Struct>
Struct read_options(const Struct* from, const char* name) {
  Struct options;
  std::memset(&options, 0, sizeof options);
  options.size = sizeof options;
  if (from == nullptr) return options;
  check<UsageError>(from->size >= sizeof from->size && from->size < 65536,
                    "{}.size is {}; set it to the size of the struct: {} options = {{sizeof options}}", name,
                    from->size, name);
  std::memcpy(&options, from, std::min(from->size, sizeof options));
  return options;
}

// Fills the part of a result that the caller knows. UsageError if it is NULL or its size is not set.
template <class Struct>
void write_result(Struct* to, Struct from, const char* name) {
  check<UsageError>(to != nullptr, "the {} to fill is NULL", name);
  check<UsageError>(to->size >= sizeof to->size && to->size < 65536,
                    "{}.size is {}; set it to the size of the struct: {} result = {{sizeof result}}", name, to->size,
                    name);
  from.size = to->size;
  std::memcpy(to, &from, std::min(to->size, sizeof from));
}

// UsageError if an argument that must not be NULL is.
void require(const void* argument, const char* name);
// `count` strings; UsageError if one is NULL, or the list itself unless the count is 0.
std::vector<std::string> to_strings(const char* const* list, std::size_t count, const char* name);
// Strings up to NULL; none if the list is NULL.
std::vector<std::string> to_strings(const char* const* list);
Settings to_settings(const char* const* list);
std::string text_or(const char* text, const char* otherwise);

}  // namespace heed::api
