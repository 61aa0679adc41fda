#include "serve/page.h"

#include <algorithm>

#include "base/utf8.h"
#include "base/version.h"
#include "inspect/attend_views.h"
#include "serve/native_api.h"
#include "serve/service.h"
#include "serve/texts.h"
#include "viz/page.h"

namespace heed::serve::page {
namespace {

constexpr std::size_t kMostCharacters = 1'000;  // per sentence: its page contains all numbers of every step

void check_pages_enabled(const RouteCall& call) {
  if (call.service.options().no_page) throw ApiError(404, "Not Found");
}

// No other site may frame a page or learn its URL, and browsers must not guess another content type. Each page states
// the rest of its content security policy in a <meta> element; `policy` repeats that in the header.
HttpResponse html_response(std::string html, const std::string& policy = "") {
  return {.body = std::move(html),
          .content_type = "text/html; charset=utf-8",
          .headers = {{"Content-Security-Policy", (policy.empty() ? "" : policy + "; ") + "frame-ancestors 'none'"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"}}};
}

}  // namespace

HttpResponse translator(RouteCall& call) {
  check_pages_enabled(call);
  static const viz::Page page{
      .title = "Translate · heed",
      .lead = "This page translates. It needs JavaScript; programs can use the addresses that /spec describes.",
      .scripts = {"translator_words", "translator_server", "translator_panes", "translator_documents", "translator"},
      .data = {{"version", kVersion}},
      .has_server = true};
  static const std::string html = viz::make_page(page), policy = viz::page_policy(page);
  return html_response(html, policy);
}

HttpResponse icon(RouteCall& call) {
  check_pages_enabled(call);
  return {.body = std::string(viz::page_file("icon.svg")),
          .content_type = "image/svg+xml",
          .headers = {{"Cache-Control", "max-age=86400"}}};
}

HttpResponse look(RouteCall& call) {
  check_pages_enabled(call);
  const Parameters parameters(call.request);
  check_key(parameters, call, 403);
  const std::string text = replace_bad_utf8(parameters.text("q"));
  if (text.find_first_not_of(" \t\r\n") == text.npos) throw ApiError(400, "q is missing: the sentence to show");
  if (text.find('\n') != text.npos) throw ApiError(400, "q has several lines, but the page shows one sentence");
  check_text_limit(utf8_length(text), kMostCharacters);
  LanguagePair& pair = native_api::find_pair(parameters, call.loaded->pairs);
  note_texts({.first = &pair}, std::span(&text, 1), call);

  inspect::AttendOptions options{.translate = options_for(call, 1)};
  search::SearchOptions& search = options.translate.search;
  search.nbest = std::min(search.beam, inspect::kShownTranslations);
  search.trace = inspect::kShownChoices;
  search.attention = true;
  const translate::TranslateRequest request{.text = text, .stop = call.stop, .deadline = call.deadline};
  translate::LineResult line = std::move(pair.shared->translate(std::span(&request, 1), options.translate).front());
  if (!line.done()) throw Stopped{};
  const std::shared_ptr<translate::Translator> translator(call.loaded, pair.translator.get());
  inspect::AttendedSentence seen{.text = text, .options = options, .links = {}, .models = {}};
  seen.models.push_back({.path = pair.name(), .translator = translator, .line = std::move(line)});
  return html_response(inspect::step_page(seen));
}

}  // namespace heed::serve::page
