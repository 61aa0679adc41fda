// The version of heed, and the mark of what its library exports.
//
// Semantic versioning, described in docs/api/README.md: until 1.0, a minor version may change the API, a patch version
// may not.
#pragma once

#define HEED_VERSION_MAJOR 0
#define HEED_VERSION_MINOR 1
#define HEED_VERSION_PATCH 0
#define HEED_VERSION "0.1.0"

#if defined(__GNUC__)
#define HEED_API __attribute__((visibility("default")))
#else
#define HEED_API
#endif

#ifdef __cplusplus
namespace heed {

// The version of the library that is linked, such as "0.1.0"; HEED_VERSION is that of the headers.
HEED_API const char* version() noexcept;

}  // namespace heed
#endif
