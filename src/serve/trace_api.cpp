#include "serve/trace_api.h"

#include <charconv>

#include "base/utf8.h"
#include "inspect/trace.h"
#include "serve/native_api.h"
#include "serve/service.h"
#include "serve/texts.h"

namespace heed::serve::trace_api {
namespace {

constexpr std::size_t kMostCharacters = 1000;
constexpr int kMostChoices = 100, kWidestBeam = 20;

// Calls read(step, value) for each member of an object whose names are steps, counted from 0.
template <class Read>
void for_steps(const Parameters& parameters, std::string_view name, Read read) {
  const Json* object = parameters.find(name);
  if (object == nullptr) return;
  if (!object->is_object()) throw ApiError(400, "{} is not an object with steps as names, such as {{\"0\": …}}", name);
  for (const auto& [key, value] : object->items()) {
    int step = -1;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), step);
    if (error != std::errc() || end != key.data() + key.size() || step < 0)
      throw ApiError(400, "{}: {} is not a step, expected 0 or more", name, in_quotes(key));
    read(static_cast<Index>(step), value);
  }
}

inspect::TraceRequest read_request(const Parameters& parameters, const RouteCall& call) {
  inspect::TraceRequest request{.text = replace_bad_utf8(parameters.text("q")),
                                .translate = options_for(call, 1),
                                .temperature = parameters.number("temperature", 1),
                                .stop = call.stop,
                                .deadline = call.deadline};
  if (request.text.empty()) throw ApiError(400, "q is missing: the sentence to translate");
  if (request.text.find('\n') != std::string::npos) throw ApiError(400, "q has several lines, expected a sentence");
  check_text_limit(utf8_length(request.text), kMostCharacters);
  search::SearchOptions& search = request.translate.search;
  const std::int64_t beam = parameters.integer("beam", 1), choices = parameters.integer("choices", 6);
  if (beam < 1 || beam > kWidestBeam) throw ApiError(400, "beam is {}, expected 1 to {}", beam, kWidestBeam);
  if (choices < 1 || choices > kMostChoices)
    throw ApiError(400, "choices is {}, expected 1 to {}", choices, kMostChoices);
  search.beam = static_cast<int>(beam);
  search.trace = static_cast<int>(choices);
  search.attention = true;
  for_steps(parameters, "words", [&](Index step, const Json& value) {
    if (!value.is_string()) throw ApiError(400, "words: that of step {} is not a string", step);
    request.words[step] = value.get<std::string>();
  });
  for_steps(parameters, "weights", [&](Index step, const Json& value) {
    if (!value.is_array()) throw ApiError(400, "weights: those of step {} are not an array", step);
    for (const Json& weight : value) {
      if (!weight.is_number()) throw ApiError(400, "weights: one of step {} is not a number", step);
      request.weights[step].push_back(weight.get<float>());
    }
  });
  if (const Json* masked = parameters.find("masked")) {
    if (!masked->is_array()) throw ApiError(400, "masked is not an array of source tokens, counted from 0");
    for (const Json& word : *masked) {
      if (!word.is_number_integer()) throw ApiError(400, "masked: a source token is not a number");
      request.masked.push_back(static_cast<Index>(word.get<std::int64_t>()));
    }
  }
  return request;
}

}  // namespace

HttpResponse trace(RouteCall& call) {
  const Parameters parameters(call.request);
  check_fields(parameters, call);
  check_key(parameters, call, 403);
  LanguagePair& pair = native_api::find_pair(parameters, call.loaded->pairs);
  const inspect::TraceRequest request = read_request(parameters, call);
  note_texts({.first = &pair}, std::span(&request.text, 1), call);
  translate::LineResult line = inspect::trace(*pair.translator, request);
  if (!line.done()) throw Stopped{};
  const std::shared_ptr<translate::Translator> translator(call.loaded, pair.translator.get());
  Json answer = inspect::trace_json({.path = pair.name(), .translator = translator, .line = std::move(line)});
  answer["source"] = pair.source;
  answer["target"] = pair.target;
  return json_response(answer);
}

}  // namespace heed::serve::trace_api
