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
  std::string host = "127.0.0.1";
  int port = 5000;  // 0: any free one
  int threads = 0;  // that translate, per model; 0: one per core
  double timeout = 60;
  double grace = 30;
  int max_body = 2048;  // KB
  int max_characters = 1'000'000;
  int max_texts = 10'000;
  int max_alternatives = 10;
  int max_requests = 512;
  int max_connections = 4096;
  std::string keys;  // a file: see ApiKeys; empty: everyone may use the server
  std::string cors = "*";
  bool quiet = false;  // no log of requests
  translate::TranslateOptions translate = {};
  translate::TextOptions text = {};

  HttpServer::Settings http() const;
  RequestPoolLimits pool() const;
};

// All flags but the models.
void declare(Options& o, ServeOptions& v);
// After parsing: UsageError for contradictions.
void resolve(ServeOptions& v, const Options& options);

}  // namespace heed::serve
