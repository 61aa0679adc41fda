#include "serve/libretranslate.h"

#include <algorithm>

#include "base/utf8.h"
#include "serve/documents.h"
#include "serve/file_store.h"
#include "serve/parameters.h"
#include "serve/service.h"
#include "serve/texts.h"

namespace heed::serve::libretranslate {
namespace {

constexpr std::size_t kLongestName = 60;  // of a client's text that an error message quotes

// The value of `source` that asks for language detection, in capitals or not.
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

// Empty if the languages are the same: then there is nothing to translate.
TranslationPath required_path(const LanguagePairs& pairs, const std::string& source, const std::string& target) {
  const TranslationPath path = pairs.find_path(source, target);
  if (!path && source != target)
    throw ApiError(400, "{} ({}) is not available as a target language from {} ({})", language_name(target),
                   outward_code(target), language_name(source), outward_code(source));
  return path;
}

Json detection(const DetectedLanguage& found) {
  return {{"confidence", found.confidence}, {"language", outward_code(found.code)}};
}

}  // namespace

HttpResponse translate(RouteCall& call) {
  const Parameters parameters(call.request);
  const ServeOptions& options = call.service.options();
  const LanguagePairs& pairs = call.loaded->pairs;
  check_key(parameters, call, 400);
  // The order of these checks, which is LibreTranslate's, decides which of several errors a client sees.
  if (parameters.find("q") == nullptr) throw ApiError(400, "Invalid request: missing q parameter");
  const std::string source_name = required_text(parameters, "source");
  const std::string target_name = required_text(parameters, "target");
  const std::size_t alternatives = wanted_alternatives(parameters, options);
  bool is_array = false;
  const std::vector<std::string> texts = required_texts(parameters, call, is_array);
  const bool detects = equal_ignoring_case(source_name, kAuto);
  const std::string format = parameters.text("format");
  const bool is_html = format == "html";
  const DetectedLanguage source = detects ? detect_languages(texts, is_html, call).front()
                                          : DetectedLanguage{.code = known_code(pairs, source_name)};
  const std::string target = known_code(pairs, target_name);
  if (!format.empty() && format != "text" && !is_html)
    throw ApiError(400, "{} format is not supported", printable(format, kLongestName));
  const TranslationPath path = required_path(pairs, source.code, target);

  std::vector<TranslatedText> translated;
  if (path && is_html)
    translated = translate_html(path, texts, options_for(call, 1), call);
  else if (path)
    translated = translate_texts(path, texts, alternatives, call);
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

namespace {

std::string translate_content(const FormField& file, std::vector<std::string> columns, const TranslationPath& path,
                              RouteCall& call) {
  const auto most = static_cast<std::size_t>(call.service.options().max_characters);
  if (const document::DocumentFormat* format = document::detect_document_format(file.file_name)) {
    std::size_t characters = 0;
    std::string translated = translate_document(path,
                                                {.format = *format,
                                                 .content = file.value,
                                                 .name = printable(file.file_name),
                                                 .encoding = Encoding::detect,
                                                 .most_characters = most,
                                                 .columns = std::move(columns)},
                                                options_for(call, 1), call, &characters);
    note_texts(path, 1, characters, call);
    return translated;
  }
  const std::string text = decode_text(file.value, Encoding::detect);
  check_text_limit(utf8_length(text), most);
  return translate_texts(path, std::span(&text, 1), 0, call).front().best;
}

// Looks at the start of the file, markup included, which is good enough for text-based formats.
DetectedLanguage detect_in_file(const FormField& file, const RouteCall& call) {
  const std::string text = decode_text(file.value.substr(0, 64 << 10), Encoding::detect);
  return detect_languages(std::span(&text, 1), true, call).front();
}

bool ends_with(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() && equal_ignoring_case(name.substr(name.size() - ending.size()), ending);
}

}  // namespace

HttpResponse translate_file(RouteCall& call) {
  const LanguagePairs& pairs = call.loaded->pairs;
  if (call.service.options().max_file == 0) throw ApiError(403, "Files translation are disabled on this server.");
  const Parameters parameters(call.request);
  check_key(parameters, call, 400);
  const FormField* file = parameters.file("file");
  if (file == nullptr && parameters.find("file") == nullptr)
    throw ApiError(400, "Invalid request: missing file parameter");
  const std::string source_name = required_text(parameters, "source");
  const std::string target_name = required_text(parameters, "target");
  if (file == nullptr) throw ApiError(400, "Invalid request: empty file");
  const std::vector<std::string> endings = file_endings();
  const auto ending = std::ranges::find_if(endings, [&](const auto& e) { return ends_with(file->file_name, e); });
  if (ending == endings.end()) throw ApiError(400, "Invalid request: file format not supported");
  const std::string source =
      equal_ignoring_case(source_name, kAuto) ? detect_in_file(*file, call).code : known_code(pairs, source_name);
  const std::string target = known_code(pairs, target_name);
  const TranslationPath path = required_path(pairs, source, target);
  std::string translated = path ? translate_content(*file, parameters.names_in("columns"), path, call) : file->value;
  std::string name = safe_file_name(file->file_name);
  name.insert(name.size() - std::min(ending->size(), name.size()), fmt::format("_{}", outward_code(target)));
  const std::string stored = call.service.files().add(name, std::move(translated));
  if (stored.empty()) throw ApiError(400, "Invalid request: the translated file is too large for this server");
  return json_response(
      {{"translatedFileUrl", fmt::format("{}{}{}", call.service.address_for(call.request), kDownloadPath, stored)}});
}

HttpResponse download_file(RouteCall& call) {
  const std::string_view name = std::string_view(call.request.path).substr(kDownloadPath.size());
  if (safe_file_name(name) != name) throw ApiError(400, "Invalid filename");
  const std::shared_ptr<const std::string> content = call.service.files().find(name);
  if (content == nullptr) throw ApiError(404, "Not Found");
  const std::string_view own_name = name.substr(name.find('.') + 1);  // without the random digits
  // A client supplied the content, so browsers must not treat it as a page of this server.
  return {.body = *content,
          .content_type = "application/octet-stream",
          .headers = {{"Content-Disposition", fmt::format("attachment; filename=\"{}\"", own_name)},
                      {"X-Content-Type-Options", "nosniff"}}};
}

HttpResponse detect(RouteCall& call) {
  const Parameters parameters(call.request);
  check_key(parameters, call, 400);
  if (parameters.find("q") == nullptr) throw ApiError(400, "Invalid request: missing q parameter");
  bool is_array = false;
  const std::vector<std::string> texts = required_texts(parameters, call, is_array);
  Json all = Json::array();
  for (const DetectedLanguage& found : detect_languages(texts, false, call)) all.push_back(detection(found));
  return json_response(all);
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
  const bool detects = call.loaded->detector->problem().empty();
  const auto language = [](std::string_view code, std::string_view name) {
    return Json{{"code", code}, {"name", name}};
  };
  return json_response(
      {{"charLimit", call.service.options().max_characters},
       {"frontendTimeout", 500},
       {"apiKeys", call.loaded->keys->required()},
       {"keyRequired", call.loaded->keys->required()},
       {"suggestions", false},
       {"filesTranslation", call.service.options().max_file > 0},
       {"supportedFilesFormat", call.service.options().max_file > 0 ? file_endings() : std::vector<std::string>()},
       {"language",
        {{"source",
          detects ? language(kAuto, "Auto Detect") : language(outward_code(first.source), language_name(first.source))},
         {"target", language(outward_code(first.target), language_name(first.target))}}}});
}

HttpResponse suggest(RouteCall& /*call*/) {
  throw ApiError(403, "Suggestions are disabled on this server.");
}

}  // namespace heed::serve::libretranslate
