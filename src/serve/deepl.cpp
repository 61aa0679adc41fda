#include "serve/deepl.h"

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "serve/documents.h"
#include "serve/service.h"
#include "serve/texts.h"

namespace heed::serve::deepl {
namespace {

constexpr std::int64_t kNoLimit = 1'000'000'000'000;  // clients expect some number

std::string upper_code(std::string_view code) {
  std::string upper = outward_code(code);
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return upper;
}

std::string code_of(const Parameters& parameters, std::string_view name, const LanguagePairs& pairs) {
  std::string code = pairs.find_code(parameters.text(name));
  if (code.empty()) throw ApiError(400, "Value for '{}' not supported.", name);
  return code;
}

// Parameters that would change the translation but are not supported must not be ignored silently.
void check_unsupported(const Parameters& parameters) {
  const std::string formality = parameters.text("formality");
  if (formality == "more" || formality == "less") throw ApiError(400, "Value for 'formality' not supported.");
  for (const std::string_view name : {"glossary_id", "splitting_tags", "non_splitting_tags"})
    if (parameters.find(name) != nullptr) throw ApiError(400, "Value for '{}' not supported.", name);
}

enum class Tags { none, html, xml };

struct Settings {
  Tags tags = Tags::none;
  std::vector<std::string> ignored;  // names of elements whose text is not translated
  bool splits = true, joins_lines = false;
};

Tags read_tag_handling(const Parameters& parameters) {
  const std::string name = parameters.text("tag_handling");
  if (name.empty()) return Tags::none;
  if (name == "html") return Tags::html;
  if (name == "xml") return Tags::xml;
  throw ApiError(400, "Value for 'tag_handling' not supported.");
}

Settings read_settings(const Parameters& parameters) {
  check_unsupported(parameters);
  Settings settings{.tags = read_tag_handling(parameters), .ignored = parameters.names_in("ignore_tags")};
  if (!settings.ignored.empty() && settings.tags == Tags::html)
    throw ApiError(400, "Value for 'ignore_tags' not supported with HTML; mark elements with translate=\"no\".");
  const Json* split = parameters.find("split_sentences");
  const std::string how = split == nullptr ? "1" : split->is_string() ? split->get<std::string>() : split->dump();
  if (how != "0" && how != "1" && how != "nonewlines" && how != "true" && how != "false")
    throw ApiError(400, "Value for 'split_sentences' not supported.");
  settings.splits = how != "0" && how != "false";
  settings.joins_lines = how == "nonewlines" || !settings.splits;
  return settings;
}

// Wraps the text in an element, so that it is a document, and unwraps the translation.
std::string translate_xml(const TranslationPath& path, const std::string& text, const Settings& settings,
                          const translate::TranslateOptions& options, const RouteCall& call) {
  constexpr std::string_view kOpen = "<text>", kClose = "</text>";
  const std::string document = fmt::format("{}{}{}", kOpen, text, kClose);
  try {
    const std::string translated = translate_document(path,
                                                      {.format = *document::find_document_format("xml"),
                                                       .content = document,
                                                       .name = "text",
                                                       .ignored = settings.ignored},
                                                      options, call);
    return translated.substr(kOpen.size(), translated.size() - kOpen.size() - kClose.size());
  } catch (const ApiError& error) {
    if (std::string_view(error.what()).find("exceeds") != std::string_view::npos) throw;
    throw ApiError(400, "Tag handling parsing failed, please check input.");
  }
}

std::vector<TranslatedText> translate_tagged(const TranslationPath& path, std::vector<std::string> texts,
                                             const Settings& settings, RouteCall& call) {
  translate::TranslateOptions options = options_for(call, 1);
  options.whole_lines = !settings.splits;
  std::vector<TranslatedText> translated;
  switch (settings.tags) {
    case Tags::html:
      return translate_html(path, texts, options, call);
    case Tags::xml:
      note_texts(path, texts, call);
      for (const std::string& text : texts)
        translated.push_back({.best = translate_xml(path, text, settings, options, call)});
      return translated;
    case Tags::none:
      break;
  }
  if (settings.joins_lines)
    for (std::string& text : texts) std::ranges::replace(text, '\n', ' ');
  return translate_texts(path, texts, options, call);
}

// The language of each text: the one that the client named, otherwise the detected one.
std::vector<std::string> source_languages(std::span<const std::string> texts, const std::string& named, bool is_html,
                                          const RouteCall& call) {
  std::vector<std::string> codes;
  for (const std::string& text : texts)
    codes.push_back(named.empty() ? detect_languages(std::span(&text, 1), is_html, call).front().code : named);
  return codes;
}

// Replaces the texts in the language `code` by their translations.
void translate_from(std::string_view code, const TranslationPath& path, std::span<const std::string> sources,
                    const Settings& settings, std::vector<std::string>& texts, RouteCall& call) {
  std::vector<std::string> own;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (sources[i] == code) own.push_back(texts[i]);
  std::vector<TranslatedText> translated = translate_tagged(path, std::move(own), settings, call);
  auto next = translated.begin();
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (sources[i] == code) texts[i] = std::move(next++->best);
}

}  // namespace

HttpResponse translate(RouteCall& call) {
  const Parameters parameters(call.request);
  check_key(parameters, call, 403);
  const LanguagePairs& pairs = call.loaded->pairs;
  const std::vector<std::string> texts = parameters.texts("text", true);
  if (texts.empty()) throw ApiError(400, "Parameter 'text' not specified.");
  if (parameters.find("target_lang") == nullptr) throw ApiError(400, "Parameter 'target_lang' not specified.");
  check_texts(texts, call, 413);
  const Settings settings = read_settings(parameters);
  const std::string target = code_of(parameters, "target_lang", pairs);
  const std::string source = parameters.find("source_lang") != nullptr ? code_of(parameters, "source_lang", pairs) : "";
  const bool bills = parameters.flag("show_billed_characters", false);

  const std::vector<std::string> sources = source_languages(texts, source, settings.tags != Tags::none, call);
  std::vector<std::string> translated = texts;
  for (const std::string& code : std::set(sources.begin(), sources.end())) {
    const TranslationPath path = pairs.find_path(code, target);
    if (!path && code != target) throw ApiError(400, "Value for 'target_lang' not supported.");
    if (path) translate_from(code, path, sources, settings, translated, call);
  }
  Json all = Json::array();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Json& one = all.emplace_back(
        Json{{"detected_source_language", upper_code(sources[i])}, {"text", std::move(translated[i])}});
    if (bills) one["billed_characters"] = utf8_length(texts[i]);
  }
  return json_response({{"translations", std::move(all)}});
}

HttpResponse languages(RouteCall& call) {
  const Parameters parameters(call.request);
  check_key(parameters, call, 403);
  const std::string type = parameters.text("type");
  if (!type.empty() && type != "source" && type != "target") throw ApiError(400, "Value for 'type' not supported.");
  const bool targets = type == "target";
  std::set<std::string> codes;
  for (const auto& pair : call.loaded->pairs.all()) codes.insert(targets ? pair->target : pair->source);
  Json all = Json::array();
  for (const std::string& code : codes) {
    Json& one = all.emplace_back(Json{{"language", upper_code(code)}, {"name", language_name(code)}});
    if (targets) one["supports_formality"] = false;
  }
  return json_response(all);
}

HttpResponse usage(RouteCall& call) {
  check_key(Parameters(call.request), call, 403);
  return json_response({{"character_count", call.service.translated_characters()}, {"character_limit", kNoLimit}});
}

}  // namespace heed::serve::deepl
