#include "serve/native_api.h"

#include <algorithm>

#include "base/utf8.h"
#include "serve/service.h"
#include "serve/texts.h"
#include "translate/json.h"

namespace heed::serve::native_api {
namespace {

constexpr std::size_t kMostCharacters = 20'000;  // of a request x n-best: its answer is much larger than its text
constexpr int kWidestBeam = 100;

// The pair that a request names; the only one need not be named.
LanguagePair& find_pair(const Parameters& parameters, const LanguagePairs& pairs) {
  if (parameters.find("source") == nullptr && parameters.find("target") == nullptr && pairs.all().size() == 1)
    return *pairs.all().front();
  const auto code = [&](std::string_view name) {
    const std::string value = parameters.text(name);
    if (value.empty()) throw ApiError(400, "{} is missing; this server has several models", name);
    return pairs.find_code(value);
  };
  const std::string source = code("source"), target = code("target");
  if (LanguagePair* pair = pairs.find(source, target)) return *pair;
  throw ApiError(400, "there is no model from {} to {}; /api/v1/models lists those that there are",
                 in_quotes(parameters.text("source")), in_quotes(parameters.text("target")));
}

std::int64_t integer_within(const Parameters& parameters, std::string_view name, std::int64_t otherwise,
                            std::int64_t most) {
  const std::int64_t value = parameters.integer(name, otherwise);
  if (value < 1 || value > most) throw ApiError(400, "{} is {}, expected 1 to {}", name, value, most);
  return value;
}

translate::TranslateOptions read_options(const Parameters& parameters, const RouteCall& call) {
  const int most = call.service.options().max_alternatives + 1;
  translate::TranslateOptions options =
      options_for(call, static_cast<std::size_t>(integer_within(parameters, "nbest", 1, most)));
  const auto beam = integer_within(parameters, "beam", options.search.beam, kWidestBeam);
  options.search.beam = std::max(static_cast<int>(beam), options.search.nbest);
  options.search.attention = true;
  options.warnings = true;
  return options;
}

// The prefix is a client's, so an error in it is one too.
void check_prefix(std::string_view prefix, const LanguagePair& pair) try {
  if (!prefix.empty()) pair.translator->pipeline().encode_prefix(prefix);
} catch (const InputError& error) {
  throw ApiError(400, "{}", error.what());
}

void remove_attention(Json& object) {
  object.erase("attention");
  for (const char* parts : {"nbest", "pieces"})
    if (object.contains(parts))
      for (Json& part : object[parts]) part.erase("attention");
}

}  // namespace

HttpResponse translate(RouteCall& call) {
  const Parameters parameters(call.request);
  check_key(parameters, call, 403);
  const std::vector<std::string> texts = parameters.texts("q", true);
  if (texts.empty()) throw ApiError(400, "q is missing: the text to translate, or an array of texts");
  LanguagePair& pair = find_pair(parameters, call.loaded->pairs);
  const translate::TranslateOptions options = read_options(parameters, call);
  const std::string prefix = parameters.text("prefix");
  const bool attention = parameters.flag("attention", false), alignment = parameters.flag("alignment", false);
  if (alignment && !pair.shared->has_attention())
    throw ApiError(400, "alignment needs attention, which this model does not have");
  check_texts(texts, call);
  check_prefix(prefix, pair);
  note_texts(pair, texts, call);
  check_text_limit(call.details["characters"].get<std::size_t>() * static_cast<std::size_t>(options.search.nbest),
                   kMostCharacters);
  std::vector<translate::TranslateRequest> lines;
  for (const std::string& text : texts) {
    if (text.find('\n') != std::string::npos)
      throw ApiError(400, "a text has several lines; send an array with one text per line");
    lines.push_back({.text = text, .prefix = prefix, .stop = call.stop, .deadline = call.deadline});
  }

  Json all = Json::array();
  const std::vector<translate::LineResult> results = pair.translate(lines, options);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!results[i].done()) throw Stopped{};
    Json& one = all.emplace_back(to_json(texts[i], results[i]));
    if (alignment) one["alignment"] = format_alignment(word_links(texts[i], results[i], 0));
    if (!attention) remove_attention(one);
  }
  return json_response({{"source", pair.source}, {"target", pair.target}, {"translations", std::move(all)}});
}

HttpResponse models(RouteCall& call) {
  Json all = Json::array();
  for (const auto& pair : call.loaded->pairs.all())
    all.push_back({{"source", pair->source}, {"target", pair->target}, {"attention", pair->shared->has_attention()}});
  return json_response(all);
}

}  // namespace heed::serve::native_api
