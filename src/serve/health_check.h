// Asks a running server whether it is ready: for containers and scripts, which then need no HTTP client.
#pragma once

#include <string>

namespace heed::serve {

// `address`: a port of this machine, HOST:PORT or http://HOST:PORT. InputError with the reason if the server does not
// answer within five seconds that it is ready, UsageError if the address is not one.
void check_health(const std::string& address);

}  // namespace heed::serve
