// The part of translating that all APIs share: from the texts of a request to their translations.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "serve/language_pairs.h"
#include "serve/parameters.h"
#include "serve/routes.h"

namespace heed::serve {

// The work was stopped: nobody waits for the answer any more, or the deadline has passed.
struct Stopped {};

struct TranslatedText {
  std::string best;
  std::vector<std::string> alternatives;  // without empty or equal ones
};

// Translates texts, each of one or more lines. ApiError for a line of more than kLongestLine / (alternatives + 1)
// characters, whose weights could take too much memory. Throws Stopped.
inline constexpr std::size_t kLongestLine = 100'000;
std::vector<TranslatedText> translate_texts(LanguagePair& pair, std::span<const std::string> texts,
                                            std::size_t alternatives, RouteCall& call);

// The same for texts that are HTML: only what people read is translated, and tags follow their words. Without
// alternatives.
std::vector<TranslatedText> translate_html(LanguagePair& pair, std::span<const std::string> texts, RouteCall& call);

// The server's options with n-best translations.
translate::TranslateOptions options_for(const RouteCall& call, std::size_t nbest);

// If the server has keys: ApiError unless the request has one of them, as api_key, auth_key or Authorization, and has
// not used it too often. `if_missing`: the status without a key.
void check_key(const Parameters& parameters, RouteCall& call, int if_missing);

// ApiError if there are more texts, or more characters in one of them, than the server allows.
void check_texts(std::span<const std::string> texts, const RouteCall& call);
// ApiError in the words of LibreTranslate.
void check_text_limit(std::size_t size, std::size_t limit);

// Notes the texts for log and metrics.
void note_texts(const LanguagePair& pair, std::span<const std::string> texts, RouteCall& call);

}  // namespace heed::serve
