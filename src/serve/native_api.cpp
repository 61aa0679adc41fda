#include "serve/native_api.h"

#include <algorithm>

#include "base/utf8.h"
#include "serve/service.h"
#include "serve/texts.h"
#include "translate/json.h"

namespace heed::serve::native_api {
namespace {

constexpr std::size_t kMostCharacters = 20'000;  // per request, times n-best: answers are much longer than the text
constexpr int kWidestBeam = 100;

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

constexpr std::size_t kMostTerms = 10'000;

// A glossary entry: {"source": …, "target": …, "exact_case": …, "preferred": …}, [source, target] or [source].
translate::GlossaryEntry read_term(const Json& item, std::size_t number) {
  const auto text = [&](const Json& value) {
    if (!value.is_string())
      throw ApiError(400, "glossary: the term {} has a source or target that is not a string", number);
    const std::string& string = value.get_ref<const std::string&>();
    if (string.find_first_of("\t\n\r") != std::string::npos)
      throw ApiError(400, "glossary: the term {} has a tab or a line break", number);
    return string;
  };
  translate::GlossaryEntry entry{.line = static_cast<std::int64_t>(number)};
  if (item.is_array() && (item.size() == 1 || item.size() == 2)) {
    entry.source = text(item[0]);
    if (item.size() == 2) entry.target = text(item[1]);
    return entry;
  }
  if (!item.is_object())
    throw ApiError(400, "glossary: the term {} is neither an object nor an array of source and target", number);
  for (const auto& [name, value] : item.items()) {
    bool* flag = name == "exact_case" ? &entry.exact_case : name == "preferred" ? &entry.preferred : nullptr;
    if (name == "source")
      entry.source = text(value);
    else if (name == "target")
      entry.target = text(value);
    else if (flag != nullptr && value.is_boolean())
      *flag = value.get<bool>();
    else
      throw ApiError(400, "glossary: the term {} has {}; expected source, target, exact_case, preferred", number,
                     in_quotes(name));
  }
  return entry;
}

// The glossary of a request; null if it has none.
std::unique_ptr<const translate::Glossary> read_glossary(const Parameters& parameters) {
  const Json* terms = parameters.find("glossary");
  const std::string match = parameters.text("glossary_match");
  if (match != "" && match != "exact" && match != "inflected")
    throw ApiError(400, "glossary_match is {}, expected exact or inflected", in_quotes(match));
  if (terms == nullptr) return nullptr;
  if (!terms->is_array()) throw ApiError(400, "glossary is not an array of terms");
  if (terms->size() > kMostTerms)
    throw ApiError(400, "glossary has {} terms, expected at most {}", terms->size(), kMostTerms);
  std::vector<translate::GlossaryEntry> entries;
  for (const Json& item : *terms) entries.push_back(read_term(item, entries.size() + 1));
  try {
    return std::make_unique<const translate::Glossary>(
        std::move(entries),
        match == "inflected" ? translate::GlossaryMatch::inflected : translate::GlossaryMatch::exact, "glossary");
  } catch (const InputError& error) {
    throw ApiError(400, "{}", error.what());
  }
}

// An invalid prefix is the client's fault: status 400 instead of 500.
void check_prefix(std::string_view prefix, const LanguagePair& pair) try {
  if (!prefix.empty()) pair.translator->pipeline().encode_prefix(prefix);
} catch (const InputError& error) {
  throw ApiError(400, "{}", error.what());
}

bool wants_events(const Parameters& parameters, const RouteCall& call) {
  return parameters.flag("stream", call.request.accept.find("text/event-stream") != std::string::npos);
}

// Makes every line send an event whenever its translation grows. The result must outlive the translation.
std::vector<translate::OnPartial> stream_lines(std::span<translate::TranslateRequest> lines, const RouteCall& call) {
  std::vector<translate::OnPartial> all(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    all[i] = [i, &call](std::size_t sentence, std::string_view text) {
      call.send_event("partial", {{"index", i}, {"sentence", sentence}, {"text", text}});
    };
    lines[i].on_partial = &all[i];
  }
  call.begin_events();
  return all;
}

void remove_attention(Json& object) {
  object.erase("attention");
  for (const char* parts : {"nbest", "pieces"})
    if (object.contains(parts))
      for (Json& part : object[parts]) part.erase("attention");
}

}  // namespace

LanguagePair& find_pair(const Parameters& parameters, const LanguagePairs& pairs) {
  if (parameters.find("source") == nullptr && parameters.find("target") == nullptr && pairs.all().size() == 1)
    return *pairs.all().front();
  const auto code = [&](std::string_view name) {
    const std::string value = parameters.text(name);
    if (value.empty()) throw ApiError(400, "{} is missing; /api/v1/models lists the models", name);
    return pairs.find_code(value);
  };
  const std::string source = code("source"), target = code("target");
  if (LanguagePair* pair = pairs.find(source, target)) return *pair;
  throw ApiError(400, "there is no model from {} to {}; /api/v1/models lists those that there are",
                 in_quotes(parameters.text("source")), in_quotes(parameters.text("target")));
}

HttpResponse translate(RouteCall& call) {
  const Parameters parameters(call.request);
  check_fields(parameters, call);
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
  const std::unique_ptr<const translate::Glossary> glossary = read_glossary(parameters);
  note_texts({.first = &pair}, texts, call);
  check_text_limit(call.details["characters"].get<std::size_t>() * static_cast<std::size_t>(options.search.nbest),
                   kMostCharacters);
  std::vector<translate::TranslateRequest> lines;
  for (const std::string& text : texts) {
    if (text.find('\n') != std::string::npos)
      throw ApiError(400, "a text has several lines; send an array with one text per line");
    lines.push_back(
        {.text = text, .prefix = prefix, .glossary = glossary.get(), .stop = call.stop, .deadline = call.deadline});
  }

  std::vector<translate::OnPartial> partial;
  const bool streams = wants_events(parameters, call);
  if (streams) partial = stream_lines(lines, call);

  Json all = Json::array();
  const std::vector<translate::LineResult> results = pair.translate(lines, options);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!results[i].done()) throw Stopped{};
    Json& one = all.emplace_back(to_json(texts[i], results[i]));
    if (alignment) one["alignment"] = format_alignment(word_links(texts[i], results[i], 0));
    if (!attention) remove_attention(one);
  }
  HttpResponse response =
      json_response({{"source", pair.source}, {"target", pair.target}, {"translations", std::move(all)}});
  if (streams) response.body = make_event("result", response.body);
  return response;
}

HttpResponse models(RouteCall& call) {
  Json all = Json::array();
  for (const auto& pair : call.loaded->pairs.all())
    all.push_back({{"source", pair->source}, {"target", pair->target}, {"attention", pair->shared->has_attention()}});
  return json_response(all);
}

}  // namespace heed::serve::native_api
