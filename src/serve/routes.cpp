#include "serve/routes.h"

#include <algorithm>

#include "base/version.h"
#include "serve/deepl.h"
#include "serve/libretranslate.h"
#include "serve/native_api.h"
#include "serve/page.h"
#include "serve/service.h"
#include "serve/trace_api.h"

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
  static const HttpResponse response = json_response(describe_routes());
  return response;
}

constexpr RouteField kTranslateFields[] = {
    {"q", "string", "text to translate; in JSON also an array of texts", true},
    {"source", "string", "language code of the text, or auto", true},
    {"target", "string", "language code of the translation", true},
    {"format", "string", "text (the default) or html"},
    {"alternatives", "integer", "number of alternative translations"},
    {"api_key", "string", "API key, if the server requires one"},
};
constexpr RouteField kFileFields[] = {
    {"file", "file", "a document; its name has one of the endings that /frontend/settings lists", true},
    {"source", "string", "language code of the text, or auto", true},
    {"target", "string", "language code of the translation", true},
    {"columns", "string", "the columns of a table (CSV, TSV) to translate: names or numbers with commas"},
    {"api_key", "string", "API key, if the server requires one"},
};
constexpr RouteField kDetectFields[] = {
    {"q", "string", "text whose language is wanted", true},
    {"api_key", "string", "API key, if the server requires one"},
};

constexpr RouteField kDeeplFields[] = {
    {"text", "string", "text to translate; may be repeated, in JSON an array", true},
    {"target_lang", "string", "language of the translation", true},
    {"source_lang", "string", "language of the text; if it is left out, it is detected"},
    {"tag_handling", "string", "html or xml: the text has such markup, which follows its words"},
    {"ignore_tags", "string",
     "elements of XML whose text stays as it is: names separated by commas, in JSON also an array"},
    {"split_sentences", "string",
     "1 (the default): lines and sentences are translated one by one; nonewlines: line "
     "breaks are spaces; 0: the same, and the text is translated as one sentence"},
    {"show_billed_characters", "boolean", "whether the answer has billed_characters"},
};
constexpr RouteField kDeeplLanguageFields[] = {{"type", "string", "source (the default) or target"}};
constexpr RouteField kNativeFields[] = {
    {"q", "string", "line to translate; may be repeated, in JSON an array", true},
    {"source", "string", "language of the text; source and target may be left out if there is only one model"},
    {"target", "string", "language of the translation"},
    {"nbest", "integer", "number of translations per text"},
    {"beam", "integer", "beam size"},
    {"prefix", "string", "what the translations must begin with"},
    {"attention", "boolean", "whether the answer has the attention weights"},
    {"alignment", "boolean", "whether the answer has word links from attention"},
    {"glossary", "array",
     "only in JSON: terms, each with source, target, exact_case and preferred, or [source, target]", false, true},
    {"stream", "boolean",
     "whether the answer is a stream of events: partial for the words so far, result at the end; also with "
     "Accept: text/event-stream"},
    {"glossary_match", "string", "how terms are found: exact (the default) or inflected"},
    {"api_key", "string", "API key, if the server requires one"},
};

constexpr RouteField kLookFields[] = {
    {"q", "string", "sentence to translate", true},
    {"source", "string", "language of the sentence; source and target may be left out if there is only one model"},
    {"target", "string", "language of the translation"},
};

constexpr RouteField kTraceFields[] = {
    {"q", "string", "sentence to translate", true},
    {"source", "string", "language of the sentence; source and target may be left out if there is only one model"},
    {"target", "string", "language of the translation"},
    {"beam", "integer", "beam size, by default 1"},
    {"choices", "integer", "number of the most probable words per step, by default 6"},
    {"words", "object", "only in JSON: tokens to write, by step counted from 0, such as {\"1\": \"Hund\"}", false,
     true},
    {"weights", "object", "only in JSON: attention weights by step, one per source token", false, true},
    {"masked", "array", "only in JSON: source tokens without attention, counted from 0", false, true},
    {"temperature", "number", "divides the logits, by default 1"},
    {"api_key", "string", "API key, if the server requires one"},
};

constexpr Route kRoutes[] = {
    {.method = "GET", .path = "/", .answer = page::translator, .summary = "A web page that translates"},
    {.method = "GET", .path = "/favicon.ico", .answer = page::icon, .summary = "The icon of the web page"},
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
    {.method = "POST",
     .path = libretranslate::kUploadPath,
     .answer = libretranslate::translate_file,
     .translates = true,
     .summary = "Translate a document; the answer says where the translation can be fetched",
     .fields = kFileFields},
    {.method = "GET",
     .path = libretranslate::kDownloadPath,
     .answer = libretranslate::download_file,
     .summary = "Fetch a translated document",
     .is_folder = true},
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
    {.method = "POST",
     .path = "/api/v1/trace",
     .answer = trace_api::trace,
     .translates = true,
     .summary = "What the decoder computes for a sentence, step by step, and what it would do otherwise",
     .fields = kTraceFields},
    {.method = "GET", .path = "/api/v1/models", .answer = native_api::models, .summary = "List the models"},
    {.method = "GET",
     .path = "/api/v1/look",
     .answer = page::look,
     .translates = true,
     .summary = "A web page that shows step by step how a model translates a sentence",
     .fields = kLookFields},
    {.method = "POST",
     .path = "/api/v1/look",
     .answer = page::look,
     .translates = true,
     .summary = "The same, for clients whose API key must not be in an address",
     .fields = kLookFields},
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
    if (route.is_folder ? !path.starts_with(route.path) : route.path != path) continue;
    if (route.method == method || (route.method == "GET" && method == "HEAD")) return &route;
    allowed += route.method == "GET" ? "GET, HEAD, " : "POST, ";
  }
  if (!allowed.empty()) allowed += "OPTIONS";
  return nullptr;
}

namespace {

// Parameters of the query, fields of a form, or, if some can only be sent in JSON, the members of an object.
Json describe_fields(const Route& route) {
  Json all = Json::array(), members = Json::object(), required = Json::array();
  const bool is_json = std::ranges::any_of(route.fields, &RouteField::only_json);
  for (const RouteField& field : route.fields) {
    Json one = {{"type", field.type}, {"description", field.help}};
    if (field.type == "array") one["items"] = Json::object();
    if (is_json) {
      if (field.required) required.push_back(field.name);
      members[std::string(field.name)] = std::move(one);
      continue;
    }
    one.update(
        {{"in", route.method == "GET" ? "query" : "formData"}, {"name", field.name}, {"required", field.required}});
    all.push_back(std::move(one));
  }
  if (is_json)
    all.push_back({{"in", "body"},
                   {"name", "body"},
                   {"required", true},
                   {"schema", {{"type", "object"}, {"required", required}, {"properties", members}}}});
  return all;
}

// The kinds of bodies that the route accepts; those that its description covers come first.
Json describe_bodies(const Route& route) {
  const bool is_file = std::ranges::find(route.fields, "file", &RouteField::type) != route.fields.end();
  if (is_file) return {"multipart/form-data"};
  return {"application/json", "application/x-www-form-urlencoded", "multipart/form-data"};
}

}  // namespace

Json describe_routes() {
  Json paths = Json::object();
  for (const Route& route : kRoutes) {
    Json operation = {{"summary", route.summary}, {"responses", {{"200", {{"description", "success"}}}}}};
    if (route.translates) {
      for (const auto& [status, text] : {std::pair("400", "invalid request"), std::pair("429", "too many requests"),
                                         std::pair("504", "not done in time")})
        operation["responses"][status] = {{"description", text}};
      if (route.method == "POST") operation["consumes"] = describe_bodies(route);
    }
    if (!route.fields.empty()) operation["parameters"] = describe_fields(route);
    std::string path(route.path), method(route.method);
    if (route.is_folder) {
      path += "{name}";
      operation["parameters"].push_back(
          {{"in", "path"}, {"name", "name"}, {"type", "string"}, {"required", true}, {"description", "file name"}});
    }
    std::ranges::transform(method, method.begin(), [](char c) { return static_cast<char>(c - 'A' + 'a'); });
    paths[path][method] = std::move(operation);
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
