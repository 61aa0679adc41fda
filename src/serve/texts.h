// What all APIs share: checking a request, detecting its language, and translating its texts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "serve/language_pairs.h"
#include "serve/parameters.h"
#include "serve/routes.h"

namespace heed::serve {

// Thrown when work on a request was stopped: the client disconnected, or the deadline has passed.
struct Stopped {};

struct TranslatedText {
  std::string best;
  std::vector<std::string> alternatives;  // no empty ones, no duplicates
};

// Translates texts of one or more lines each. ApiError if a line has more than kLongestLine / (alternatives + 1)
// characters, because its attention weights could take too much memory. Throws Stopped.
inline constexpr std::size_t kLongestLine = 100'000;
std::vector<TranslatedText> translate_texts(const TranslationPath& path, std::span<const std::string> texts,
                                            std::size_t alternatives, RouteCall& call);
std::vector<TranslatedText> translate_texts(const TranslationPath& path, std::span<const std::string> texts,
                                            const translate::TranslateOptions& options, RouteCall& call);

// The same for HTML, without alternatives: only the text that people read is translated, and tags follow their words.
std::vector<TranslatedText> translate_html(const TranslationPath& path, std::span<const std::string> texts,
                                           const translate::TranslateOptions& options, RouteCall& call);

// The likely source languages of the texts taken together, best first. ApiError if the server cannot detect languages.
std::vector<DetectedLanguage> detect_languages(std::span<const std::string> texts, bool is_html, const RouteCall& call);

// The server's options, changed to return `nbest` translations.
translate::TranslateOptions options_for(const RouteCall& call, std::size_t nbest);

// Does nothing if the server has no keys. ApiError unless the request has a valid key (api_key, auth_key or
// Authorization) that has requests left. `if_missing`: the status if the request has no key.
void check_key(const Parameters& parameters, RouteCall& call, int if_missing);

// ApiError if the request has a parameter that the route does not.
void check_fields(const Parameters& parameters, const RouteCall& call);

// ApiError if there are more texts than the server allows, or if one of them is too long.
void check_texts(std::span<const std::string> texts, const RouteCall& call, int status = 400);
// ApiError if `size` exceeds `limit`, in LibreTranslate's words.
void check_text_limit(std::size_t size, std::size_t limit, int status = 400);

// Adds the texts to the details of the request for the log and the metrics: their number and length, and with
// --log-text themselves.
void note_texts(const TranslationPath& path, std::span<const std::string> texts, RouteCall& call);
void note_texts(const TranslationPath& path, std::size_t texts, std::size_t characters, RouteCall& call);

}  // namespace heed::serve
