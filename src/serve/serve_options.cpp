#include "serve/serve_options.h"

#include <algorithm>

#include "base/error.h"
#include "base/shared_options.h"
#include "search/search_options.h"
#include "serve/libretranslate.h"

namespace heed::serve {

namespace {

// Whether a browser may send this as the header Origin: scheme://host, perhaps with a port.
bool is_origin(std::string_view text) {
  const std::size_t colon = text.find("://");
  const std::string_view host = colon == text.npos ? "" : text.substr(colon + 3);
  return colon != 0 && !host.empty() && host.find('/') == host.npos &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~' && c != ','; });
}

}  // namespace

void declare(Options& o, ServeOptions& v) {
  o.group("Address");
  o.flag("host", v.host, "address to listen on; 0.0.0.0: all addresses of the machine, so that others can connect")
      .value("ADDRESS")
      .common();
  o.flag("port", v.port, "port to listen on; 0: any free one", range(0, 65535)).common();
  o.flag("cors", v.cors, "web pages of this origin may use the server; *: all pages, none: no page")
      .value("*|none|ORIGIN");
  o.flag("keys", v.keys,
         "only clients with an API key of this file may translate; its lines have a name, the SHA-256 of the key and, "
         "optionally, the requests per minute")
      .value("FILE")
      .reads();
  o.flag("no-page", v.no_page, "serve only the APIs, without the web page at /");
  o.flag("trusted-proxy", v.trusted_proxies,
         "a proxy, or a network of proxies, whose X-Forwarded-For says who the client is")
      .value("ADDRESS[/BITS]");
  o.group("Limits");
  o.flag("timeout", v.timeout, "seconds after which a request, waiting included, is answered with status 504",
         range(0.01, 86400))
      .common();
  o.flag("grace", v.grace, "seconds that a stopping server spends on the requests it has accepted", range(0, 86400));
  o.flag("max-requests", v.max_requests,
         "requests that may be waiting or in progress; more are refused with status 429", range(1, 100'000));
  o.flag("max-tokens", v.max_tokens,
         "source tokens that may be waiting for a model; while there are more, new requests are refused with status "
         "429",
         range(1, 1'000'000'000));
  o.flag("max-connections", v.max_connections,
         "maximum number of open connections; new ones then replace those that have been idle longest",
         range(1, 1'000'000));
  o.flag("max-body", v.max_body, "maximum size of a request in KB", range(1, 1'000'000));
  o.flag("max-file", v.max_file, "maximum size of a document for /translate_file in MB; 0: no documents",
         range(0, 1000));
  o.flag("file-memory", v.file_memory,
         "MB of translated documents to keep for download, for at most 30 minutes; new ones replace the oldest",
         range(1, 1'000'000));
  o.flag("max-texts", v.max_texts, "maximum number of texts per request", range(1, 1'000'000));
  o.flag("max-characters", v.max_characters, "maximum number of characters per text", range(1, 100'000'000));
  o.flag("max-alternatives", v.max_alternatives, "maximum number of alternative translations per text", range(0, 100));
  o.group("Log");
  o.flag("quiet", v.quiet, "do not log requests; otherwise each is a line of JSON on standard error");
  o.flag("log-text", v.log_text, "also log the texts of the requests, except documents; otherwise the log has no text");
  o.group("Text");
  o.flag("pivot", v.pivot,
         "translate by way of this language, such as en, if there is no model for a pair of languages")
      .value("LANGUAGE");
  translate::declare(o, v.text);
  o.group("Search");
  search::declare_beam(o, v.translate.search);
  o.group("Performance");
  translate::declare_shortlist(o, v.shortlist, "on for models that have a shortlist, off with --plain");
  o.flag("cache", v.cache, "MB of memory for a cache of translated sentences; 0: no cache", range(0, 1'000'000));
  declare_threads(o, v.threads);
}

void resolve(ServeOptions& v, const Options& options) {
  search::resolve_beam(v.translate.search, options);
  resolve(v.text, options);
  check<UsageError>(v.text.glossary_file.empty() || v.models.size() <= 1,
                    "--glossary {} is for one model, but there are {}; start a server for each", v.text.glossary_file,
                    v.models.size());
  check<UsageError>(!v.log_text || !v.quiet, "--log-text has no effect with --quiet, which turns the log off");
  v.translate.search.attention = false;
  v.translate.search.shortlist = translate::wants_shortlist(v.shortlist, !v.text.plain);
  check<UsageError>(v.cors == "*" || v.cors == "none" || is_origin(v.cors),
                    "--cors {}: expected * (all web pages), none, or an origin such as https://example.org",
                    in_quotes(v.cors));
}

HttpServer::Settings ServeOptions::http_settings() const {
  HttpServer::Settings settings{.host = host, .port = port};
  settings.limits.body = static_cast<std::size_t>(max_body) << 10;
  settings.limits.upload_path = libretranslate::kUploadPath;
  settings.limits.upload = static_cast<std::size_t>(std::max(max_file, 1)) << 20;
  settings.limits.connections = static_cast<std::size_t>(max_connections);
  settings.limits.grace = std::chrono::milliseconds(static_cast<std::int64_t>(grace * 1000));
  return settings;
}

RequestPoolLimits ServeOptions::pool_limits() const {
  RequestPoolLimits limits;
  limits.requests = static_cast<std::size_t>(max_requests);
  limits.threads = std::min(limits.threads, limits.requests);
  return limits;
}

}  // namespace heed::serve
