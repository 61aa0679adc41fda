#include "serve/routes.h"

#include <algorithm>

#include "base/version.h"
#include "serve/deepl.h"
#include "serve/libretranslate.h"
#include "serve/native_api.h"
#include "serve/service.h"

namespace heed::serve {
namespace {

HttpResponse health(RouteCall& /*call*/) {
  return json_response({{"status", "ok"}});
}

HttpResponse ready(RouteCall& call) {
  if (call.service.is_stopping()) return json_response({{"status", "stopping"}}, 503);
  return json_response({{"status", "ok"}});
}

HttpResponse metrics(RouteCall& call) {
  return {.body = call.service.metrics_page(), .content_type = "text/plain; version=0.0.4; charset=utf-8"};
}

HttpResponse description(RouteCall& /*call*/) {
  return json_response(describe_routes());
}

constexpr RouteField kTranslateFields[] = {
    {"q", "string", "text to translate; in JSON also an array of texts", true},
    {"source", "string", "language code of the text, or auto", true},
    {"target", "string", "language code of the translation", true},
    {"format", "string", "text (the default) or html"},
    {"alternatives", "integer", "number of alternative translations"},
    {"api_key", "string", "API key, if the server has some"},
};
constexpr RouteField kDetectFields[] = {
    {"q", "string", "text whose language is wanted", true},
    {"api_key", "string", "API key, if the server has some"},
};

constexpr RouteField kDeeplFields[] = {
    {"text", "string", "text to translate; may be repeated, in JSON an array", true},
    {"target_lang", "string", "language of the translation", true},
    {"source_lang", "string", "language of the text; may be left out if all models have the same"},
    {"tag_handling", "string", "html: the text is HTML"},
    {"show_billed_characters", "boolean", "whether the answer has billed_characters"},
};
constexpr RouteField kDeeplLanguageFields[] = {{"type", "string", "source (the default) or target"}};
constexpr RouteField kNativeFields[] = {
    {"q", "string", "line to translate; may be repeated, in JSON an array", true},
    {"source", "string", "language of the text; may be left out with target if there is one model"},
    {"target", "string", "language of the translation"},
    {"nbest", "integer", "number of translations per text"},
    {"beam", "integer", "beam size"},
    {"prefix", "string", "what the translations must begin with"},
    {"attention", "boolean", "whether the answer has the attention weights"},
    {"alignment", "boolean", "whether the answer has word links from attention"},
};

constexpr Route kRoutes[] = {
    {.method = "POST",
     .path = "/translate",
     .answer = libretranslate::translate,
     .translates = true,
     .summary = "Translate text",
     .fields = kTranslateFields},
    {.method = "POST",
     .path = "/detect",
     .answer = libretranslate::detect,
     .translates = true,
     .summary = "Detect the language of a text",
     .fields = kDetectFields},
    {.method = "GET",
     .path = "/languages",
     .answer = libretranslate::languages,
     .summary = "List the languages and what each can be translated to"},
    {.method = "GET",
     .path = "/frontend/settings",
     .answer = libretranslate::settings,
     .summary = "Settings for web pages"},
    {.method = "POST", .path = "/suggest", .answer = libretranslate::suggest, .summary = "Not available: status 403"},
    {.method = "POST",
     .path = "/v2/translate",
     .answer = deepl::translate,
     .translates = true,
     .summary = "Translate text, as DeepL",
     .fields = kDeeplFields,
     .style = ErrorStyle::message},
    {.method = "GET",
     .path = "/v2/languages",
     .answer = deepl::languages,
     .summary = "List the languages, as DeepL",
     .fields = kDeeplLanguageFields,
     .style = ErrorStyle::message},
    {.method = "GET",
     .path = "/v2/usage",
     .answer = deepl::usage,
     .summary = "The number of translated characters, as DeepL",
     .style = ErrorStyle::message},
    {.method = "POST",
     .path = "/api/v1/translate",
     .answer = native_api::translate,
     .translates = true,
     .summary = "Translate lines, with scores, confidences, word alignment, attention and warnings",
     .fields = kNativeFields},
    {.method = "GET", .path = "/api/v1/models", .answer = native_api::models, .summary = "List the models"},
    {.method = "GET", .path = "/health", .answer = health, .summary = "Whether the server is running"},
    {.method = "GET",
     .path = "/ready",
     .answer = ready,
     .summary = "Whether the server takes requests: status 200 or 503"},
    {.method = "GET", .path = "/metrics", .answer = metrics, .summary = "Counters in the text format of Prometheus"},
    {.method = "GET", .path = "/spec", .answer = description, .summary = "This description"},
};

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

const Route* find_route(std::string_view method, std::string_view path, std::string& allowed) {
  allowed.clear();
  for (const Route& route : kRoutes) {
    if (route.path != path) continue;
    if (route.method == method || (route.method == "GET" && method == "HEAD")) return &route;
    allowed += route.method == "GET" ? "GET, HEAD, " : "POST, ";
  }
  if (!allowed.empty()) allowed += "OPTIONS";
  return nullptr;
}

Json describe_routes() {
  Json paths = Json::object();
  for (const Route& route : kRoutes) {
    Json operation = {{"summary", route.summary}, {"responses", {{"200", {{"description", "success"}}}}}};
    if (route.translates) {
      for (const auto& [status, text] : {std::pair("400", "invalid request"), std::pair("429", "too many requests"),
                                         std::pair("504", "not done in time")})
        operation["responses"][status] = {{"description", text}};
      operation["consumes"] = {"application/json", "application/x-www-form-urlencoded", "multipart/form-data"};
    }
    for (const RouteField& field : route.fields)
      operation["parameters"].push_back({{"in", route.method == "GET" ? "query" : "formData"},
                                         {"name", field.name},
                                         {"type", field.type},
                                         {"required", field.required},
                                         {"description", field.help}});
    std::string method(route.method);
    std::ranges::transform(method, method.begin(), [](char c) { return static_cast<char>(c - 'A' + 'a'); });
    paths[std::string(route.path)][method] = std::move(operation);
  }
  return {{"swagger", "2.0"},
          {"info", {{"title", "heed"}, {"version", kVersion}, {"description", "Machine translation"}}},
          {"basePath", "/"},
          {"produces", {"application/json"}},
          {"paths", std::move(paths)}};
}

HttpResponse json_response(const Json& body, int status) {
  return {.status = status, .body = dump_json(body) + "\n"};
}

HttpResponse error_response(ErrorStyle style, int status, std::string_view text) {
  return json_response({{style == ErrorStyle::error ? "error" : "message", text}}, status);
}

}  // namespace heed::serve
