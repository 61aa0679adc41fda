// Asks a running server whether it is ready, so that containers and scripts need no HTTP client.
#pragma once

#include <string>

namespace heed::serve {

// `address`: a port of this machine, HOST:PORT or http://HOST:PORT. InputError with the reason unless the server
// answers within five seconds that it is ready; UsageError if the address is malformed.
void check_health(const std::string& address);

}  // namespace heed::serve
