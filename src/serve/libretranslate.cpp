#include "serve/libretranslate.h"

#include <algorithm>

#include "base/utf8.h"
#include "serve/parameters.h"
#include "serve/service.h"
#include "serve/texts.h"

namespace heed::serve::libretranslate {
namespace {

constexpr std::size_t kLongestName = 60;  // of what a client calls a language or a format, in an error

// What `source` and `target` may be besides a code.
constexpr std::string_view kAuto = "auto";

std::string required_text(const Parameters& parameters, std::string_view name) {
  std::string text = parameters.text(name);
  if (text.empty()) throw ApiError(400, "Invalid request: missing {} parameter", name);
  return text;
}

std::vector<std::string> required_texts(const Parameters& parameters, const RouteCall& call, bool& is_array) {
  std::vector<std::string> texts = parameters.texts("q", false, &is_array);
  if (texts.empty()) throw ApiError(400, "Invalid request: missing q parameter");
  check_texts(texts, call);
  return texts;
}

std::size_t wanted_alternatives(const Parameters& parameters, const ServeOptions& options) {
  const std::int64_t wanted = std::max<std::int64_t>(parameters.integer("alternatives", 0), 0);
  if (wanted > options.max_alternatives)
    throw ApiError(400, "Invalid request: alternatives parameter must be <= {}", options.max_alternatives);
  return static_cast<std::size_t>(wanted);
}

std::string known_code(const LanguagePairs& pairs, std::string_view name) {
  std::string code = pairs.find_code(name);
  if (code.empty()) throw ApiError(400, "{} is not supported", printable(name, kLongestName));
  return code;
}

// There is nothing to detect if all models translate from the same language.
std::string detected_code(const LanguagePairs& pairs) {
  std::string code = pairs.only_source();
  if (code.empty())
    throw ApiError(400, "This server has models for several source languages and cannot detect the language; name it");
  return code;
}

Json detection(std::string_view code) {
  return {{"confidence", 100.0}, {"language", outward_code(code)}};
}

}  // namespace

HttpResponse translate(RouteCall& call) {
  const Parameters parameters(call.request);
  const ServeOptions& options = call.service.options();
  const LanguagePairs& pairs = call.loaded->pairs;
  check_key(parameters, call, 400);
  // The order of these decides which of several errors a client sees.
  if (parameters.find("q") == nullptr) throw ApiError(400, "Invalid request: missing q parameter");
  const std::string source_name = required_text(parameters, "source");
  const std::string target_name = required_text(parameters, "target");
  const std::size_t alternatives = wanted_alternatives(parameters, options);
  bool is_array = false;
  const std::vector<std::string> texts = required_texts(parameters, call, is_array);
  const bool detects = source_name == kAuto;
  const std::string source = detects ? detected_code(pairs) : known_code(pairs, source_name);
  const std::string target = known_code(pairs, target_name);
  const std::string format = parameters.text("format");
  if (!format.empty() && format != "text" && format != "html")
    throw ApiError(400, "{} format is not supported", printable(format, kLongestName));
  LanguagePair* pair = pairs.find(source, target);
  if (pair == nullptr && source != target)
    throw ApiError(400, "{} ({}) is not available as a target language from {} ({})", language_name(target),
                   outward_code(target), language_name(source), outward_code(source));

  std::vector<TranslatedText> translated;
  if (pair != nullptr && format == "html")
    translated = translate_html(*pair, texts, call);
  else if (pair != nullptr)
    translated = translate_texts(*pair, texts, alternatives, call);
  else
    for (const std::string& text : texts) translated.push_back({.best = text});
  Json best = Json::array(), others = Json::array(), detected = Json::array();
  for (TranslatedText& text : translated) {
    best.push_back(std::move(text.best));
    others.push_back(std::move(text.alternatives));
    detected.push_back(detection(source));
  }
  Json answer = Json::object();
  if (alternatives > 0) answer["alternatives"] = is_array ? std::move(others) : std::move(others[0]);
  if (detects) answer["detectedLanguage"] = is_array ? std::move(detected) : std::move(detected[0]);
  answer["translatedText"] = is_array ? std::move(best) : std::move(best[0]);
  return json_response(answer);
}

HttpResponse detect(RouteCall& call) {
  const Parameters parameters(call.request);
  check_key(parameters, call, 400);
  if (parameters.find("q") == nullptr) throw ApiError(400, "Invalid request: missing q parameter");
  bool is_array = false;
  required_texts(parameters, call, is_array);
  return json_response(Json::array({detection(detected_code(call.loaded->pairs))}));
}

HttpResponse languages(RouteCall& call) {
  Json all = Json::array();
  for (const LanguagePairs::Language& language : call.loaded->pairs.languages()) {
    Json& targets = all.emplace_back(Json{{"code", outward_code(language.code)}, {"name", language.name}})["targets"];
    for (const std::string& target : language.targets) targets.push_back(outward_code(target));
  }
  return json_response(all);
}

HttpResponse settings(RouteCall& call) {
  const LanguagePairs& pairs = call.loaded->pairs;
  const LanguagePair& first = *pairs.all().front();
  const bool detects = !pairs.only_source().empty();
  const auto language = [](std::string_view code, std::string_view name) {
    return Json{{"code", code}, {"name", name}};
  };
  return json_response({{"charLimit", call.service.options().max_characters},
                        {"frontendTimeout", 500},
                        {"apiKeys", call.loaded->keys->required()},
                        {"keyRequired", call.loaded->keys->required()},
                        {"suggestions", false},
                        {"filesTranslation", false},
                        {"supportedFilesFormat", Json::array()},
                        {"language",
                         {{"source", detects ? language(kAuto, "Auto Detect")
                                             : language(outward_code(first.source), language_name(first.source))},
                          {"target", language(outward_code(first.target), language_name(first.target))}}}});
}

HttpResponse suggest(RouteCall& /*call*/) {
  throw ApiError(403, "Suggestions are disabled on this server.");
}

}  // namespace heed::serve::libretranslate
