// The settings of a server and their flags.
#pragma once

#include <string>
#include <vector>

#include "base/options.h"
#include "serve/http_server.h"
#include "serve/request_pool.h"
#include "translate/text_options.h"
#include "translate/translate_options.h"

namespace heed::serve {

struct ServeOptions {
  std::vector<std::string> models;  // [PAIR=]MODEL
  std::string pivot;                // language code; empty: none
  std::string host = "127.0.0.1";
  int port = 5000;        // 0: any free port
  int threads = 0;        // translating threads per model; 0: one per core
  double timeout = 60;    // seconds
  double grace = 30;      // seconds
  int max_body = 2048;    // KB
  int max_file = 20;      // MB; 0: no documents
  int file_memory = 256;  // MB
  int max_characters = 1'000'000;
  int max_texts = 10'000;
  int max_alternatives = 10;
  int max_requests = 512;
  int max_tokens = 1'000'000;
  int max_connections = 4096;
  std::string keys;  // file for ApiKeys; empty: everyone may use the server
  std::string cors = "*";
  std::vector<std::string> trusted_proxies;  // ADDRESS[/BITS]
  int cache = 0;                             // MB; 0: no cache
  bool quiet = false;                        // no log of requests
  bool log_text = false;                     // the log has the texts of requests
  bool no_page = false;                      // only the APIs, no web page
  std::string shortlist;                     // see translate::declare_shortlist()
  translate::TranslateOptions translate = {};
  translate::TextOptions text = {};

  HttpServer::Settings http_settings() const;
  RequestPoolLimits pool_limits() const;
};

// Declares all flags; the models are positional arguments.
void declare(Options& o, ServeOptions& v);
// Call after parsing. UsageError if options contradict each other.
void resolve(ServeOptions& v, const Options& options);

}  // namespace heed::serve
