#include "serve/serve_options.h"

#include <algorithm>

#include "base/error.h"
#include "base/shared_options.h"
#include "search/search_options.h"

namespace heed::serve {

void declare(Options& o, ServeOptions& v) {
  o.group("Address");
  o.flag("host", v.host, "address to listen on; 0.0.0.0: all addresses of the machine, for everyone who reaches it")
      .value("ADDRESS")
      .common();
  o.flag("port", v.port, "port to listen on; 0: any free one", range(0, 65535)).common();
  o.flag("cors", v.cors, "web pages of this origin may use the server; *: all pages, none: no page")
      .value("*|none|ORIGIN");
  o.flag(
       "keys", v.keys,
       "only clients with an API key of this file may translate; its lines have a name, the SHA-256 of the key and, if "
       "wanted, the requests per minute")
      .value("FILE")
      .reads();
  o.group("Limits");
  o.flag("timeout", v.timeout, "seconds for a request, waiting included; then it is answered with status 504",
         range(0.01, 86400))
      .common();
  o.flag("grace", v.grace, "seconds for requests that are being answered when the server is asked to stop",
         range(0, 86400));
  o.flag("max-requests", v.max_requests, "requests that wait or are translated; more are refused with status 429",
         range(1, 100'000));
  o.flag("max-connections", v.max_connections, "open connections; more replace those that have been idle longest",
         range(1, 1'000'000));
  o.flag("max-body", v.max_body, "size of a request in KB", range(1, 1'000'000));
  o.flag("max-texts", v.max_texts, "texts per request", range(1, 1'000'000));
  o.flag("max-characters", v.max_characters, "characters per text", range(1, 100'000'000));
  o.flag("max-alternatives", v.max_alternatives, "alternative translations per text that a client may ask for",
         range(0, 100));
  o.group("Log");
  o.flag("quiet", v.quiet, "do not write a line of JSON to standard error for every request");
  o.group("Text");
  translate::declare(o, v.text);
  o.group("Search");
  search::declare_beam(o, v.translate.search);
  o.group("Performance");
  declare_threads(o, v.threads);
}

void resolve(ServeOptions& v, const Options& options) {
  search::resolve_beam(v.translate.search, options);
  resolve(v.text, options);
  check<UsageError>(v.text.glossary_file.empty() || v.models.size() <= 1,
                    "--glossary {} is for one model, but there are {}; start a server for each", v.text.glossary_file,
                    v.models.size());
  v.translate.search.attention = false;
  const bool printable = std::ranges::all_of(v.cors, [](char c) { return c > ' ' && c <= '~'; });
  check<UsageError>(printable && !v.cors.empty(),
                    "--cors {}: expected *, none or an origin such as https://example.org", in_quotes(v.cors));
}

HttpServer::Settings ServeOptions::http() const {
  HttpServer::Settings settings{.host = host, .port = port};
  settings.limits.body = static_cast<std::size_t>(max_body) << 10;
  settings.limits.connections = static_cast<std::size_t>(max_connections);
  settings.limits.grace = std::chrono::milliseconds(static_cast<std::int64_t>(grace * 1000));
  return settings;
}

RequestPoolLimits ServeOptions::pool() const {
  RequestPoolLimits limits;
  limits.requests = static_cast<std::size_t>(max_requests);
  limits.threads = std::min(limits.threads, limits.requests);
  return limits;
}

}  // namespace heed::serve
