#include "serve/deepl.h"

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "serve/service.h"
#include "serve/texts.h"

namespace heed::serve::deepl {
namespace {

constexpr std::int64_t kNoLimit = 1'000'000'000'000;  // clients expect a number

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

// What changes the translation and is not possible here must not be ignored in silence.
void check_unsupported(const Parameters& parameters, std::span<const std::string> texts) {
  const std::string formality = parameters.text("formality");
  if (formality == "more" || formality == "less") throw ApiError(400, "Value for 'formality' not supported.");
  if (parameters.find("glossary_id") != nullptr) throw ApiError(400, "Value for 'glossary_id' not supported.");
  const std::string tags = parameters.text("tag_handling");
  if (tags.empty() || tags == "html") return;
  const bool has_markup =
      std::ranges::any_of(texts, [](const std::string& text) { return text.find_first_of("<&") != std::string::npos; });
  if (has_markup) throw ApiError(400, "Value for 'tag_handling' not supported: this server knows html.");
}

}  // namespace

HttpResponse translate(RouteCall& call) {
  const Parameters parameters(call.request);
  check_key(parameters, call, 403);
  const LanguagePairs& pairs = call.loaded->pairs;
  const std::vector<std::string> texts = parameters.texts("text", true);
  if (texts.empty()) throw ApiError(400, "Parameter 'text' not specified.");
  if (parameters.find("target_lang") == nullptr) throw ApiError(400, "Parameter 'target_lang' not specified.");
  check_texts(texts, call);
  check_unsupported(parameters, texts);
  const std::string target = code_of(parameters, "target_lang", pairs);
  const bool names_source = parameters.find("source_lang") != nullptr;
  const std::string source = names_source ? code_of(parameters, "source_lang", pairs) : pairs.only_source();
  if (source.empty()) throw ApiError(400, "Parameter 'source_lang' not specified; this server cannot detect it.");
  LanguagePair* pair = pairs.find(source, target);
  if (pair == nullptr && source != target) throw ApiError(400, "Value for 'target_lang' not supported.");
  const bool bills = parameters.flag("show_billed_characters", false);

  std::vector<TranslatedText> translated;
  if (pair != nullptr && parameters.text("tag_handling") == "html")
    translated = translate_html(*pair, texts, call);
  else if (pair != nullptr)
    translated = translate_texts(*pair, texts, 0, call);
  else
    for (const std::string& text : texts) translated.push_back({.best = text});
  Json all = Json::array();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Json& one = all.emplace_back(
        Json{{"detected_source_language", upper_code(source)}, {"text", std::move(translated[i].best)}});
    if (bills) one["billed_characters"] = utf8_length(texts[i]);
  }
  return json_response({{"translations", std::move(all)}});
}

HttpResponse languages(RouteCall& call) {
  const Parameters parameters(call.request);
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
  return json_response({{"character_count", call.service.translated_characters()}, {"character_limit", kNoLimit}});
}

}  // namespace heed::serve::deepl
