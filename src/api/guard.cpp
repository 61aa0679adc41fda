#include "api/guard.h"

#include <filesystem>
#include <new>
#include <system_error>

#include "base/error.h"
#include "base/json.h"

namespace heed::api {

void rethrow_as_error() {
  constexpr const char* kOutOfMemory = "out of memory; try less text at once, a smaller batch or a smaller model";
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::input, kOutOfMemory);
  } catch (const std::length_error&) {  // a container larger than any memory
    throw Error(ErrorKind::input, kOutOfMemory);
  } catch (const std::filesystem::filesystem_error& error) {
    throw InputError("cannot use {}: {}", in_quotes(error.path1().string()), error.code().message());
  } catch (const std::system_error& error) {
    throw InputError("a system call failed: {}", error.code().message());
  } catch (const Json::exception&) {
    throw InputError("some JSON that heed read does not have the expected form; is one of the files damaged?");
  } catch (const std::exception& error) {
    throw InternalError("a bug in heed, please report it: {}", error.what());
  } catch (...) {
    throw InternalError("a bug in heed, please report it: an unknown exception");
  }
}

}  // namespace heed::api
