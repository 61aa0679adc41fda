// Any bytes that a client sends get answers of HTTP or none, and the connection ends. Requests that are passed on have
// a method and a path; routes are found for them and their parameters read, without a model.
#include <thread>

#include "serve/http_server.h"
#include "serve/parameters.h"
#include "serve/routes.h"
#include "serve_fuzz.h"

namespace {

using namespace heed::serve;

HttpResponse answer(const HttpRequest& request) {
  if (request.method.empty() || request.path.empty()) std::abort();
  std::string allowed;
  if (find_route(request.method, request.path, allowed) == nullptr)
    return error_response(ErrorStyle::error, allowed.empty() ? 404 : 405, allowed);
  try {
    const Parameters parameters(request);
    parameters.texts("q", true);
    return json_response({{"source", parameters.text("source")}, {"n", parameters.integer("alternatives", 0)}});
  } catch (const ApiError& error) {
    return error_response(ErrorStyle::error, error.status(), error.what());
  }
}

HttpServer& server() {
  static HttpServer* const server = [] {
    block_signals();
    HttpLimits limits;
    limits.body = 1 << 16;
    auto* const made = new HttpServer({.limits = limits}, [](const std::shared_ptr<Exchange>& exchange) {
      exchange->answer(answer(exchange->request));
    });
    std::thread([made] { made->run(); }).detach();
    return made;
  }();
  return *server;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string answers = exchange_bytes(server().port(), {reinterpret_cast<const char*>(data), size}, true);
  if (!answers.empty()) status_of(answers);
  return 0;
}
