#include "serve/texts.h"

#include <algorithm>
#include <iterator>

#include "base/utf8.h"
#include "serve/documents.h"
#include "serve/service.h"

namespace heed::serve {
namespace {

// Bytes of lines that are translated at a time, fewer with alternatives: results take much more memory than text.
constexpr std::size_t kBlock = 64 << 10;
constexpr std::size_t kLongestLogged = 10'000;  // characters of a text in the log

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

// The translations of each line, best first.
std::vector<std::vector<std::string>> translate_lines(const TranslationPath& path,
                                                      std::span<const std::string_view> lines,
                                                      const translate::TranslateOptions& options,
                                                      const RouteCall& call) {
  const auto nbest = static_cast<std::size_t>(options.search.nbest);
  std::vector<std::vector<std::string>> all;
  std::vector<translate::TranslateRequest> block;
  for (std::size_t from = 0; from < lines.size();) {
    block.clear();
    for (std::size_t bytes = 0; from < lines.size() && (block.empty() || bytes < kBlock / nbest); ++from) {
      bytes += lines[from].size();
      block.push_back({.text = lines[from], .stop = call.stop, .deadline = call.deadline});
    }
    for (translate::LineResult& line : path.translate(block, options)) {
      if (!line.done()) throw Stopped{};
      std::vector<std::string>& texts = all.emplace_back();
      for (translate::Translation& translation : line.translations) texts.push_back(std::move(translation.text));
    }
  }
  return all;
}

// The k-th translation of a text consists of the k-th translation of each line, or its last one if it has fewer.
TranslatedText join_lines(std::span<const std::vector<std::string>> lines, std::size_t nbest) {
  std::vector<std::string> versions;
  for (std::size_t k = 0; k < nbest; ++k) {
    std::string version;
    for (const std::vector<std::string>& line : lines) {
      if (&line != &lines.front()) version += '\n';
      version += line[std::min(k, line.size() - 1)];
    }
    const bool is_new = !version.empty() && std::ranges::find(versions, version) == versions.end();
    if (k == 0 || is_new) versions.push_back(std::move(version));
  }
  TranslatedText text{.best = std::move(versions.front())};
  text.alternatives.assign(std::make_move_iterator(versions.begin() + 1), std::make_move_iterator(versions.end()));
  return text;
}

}  // namespace

std::vector<TranslatedText> translate_html(const TranslationPath& path, std::span<const std::string> texts,
                                           const translate::TranslateOptions& options, RouteCall& call) {
  note_texts(path, texts, call);
  const document::DocumentFormat& html = *document::find_document_format("html");
  std::vector<TranslatedText> all;
  for (const std::string& text : texts)
    all.push_back({.best = translate_document(path, {.format = html, .content = text}, options, call)});
  return all;
}

std::vector<DetectedLanguage> detect_languages(std::span<const std::string> texts, bool is_html,
                                               const RouteCall& call) {
  const LanguageDetector& detector = *call.loaded->detector;
  if (!detector.problem().empty())
    throw ApiError(400, "This server has models for several source languages and cannot detect the language; name it");
  std::string all;
  for (const std::string& text : texts) {
    if (all.size() >= kBlock) break;
    all.append(text, 0, kBlock).append("\n");
  }
  return detector.detect(all, is_html);
}

translate::TranslateOptions options_for(const RouteCall& call, std::size_t nbest) {
  translate::TranslateOptions options = call.service.options().translate;
  options.search.nbest = static_cast<int>(nbest);
  options.search.beam = std::max(options.search.beam, options.search.nbest);
  return options;
}

void check_fields(const Parameters& parameters, const RouteCall& call) {
  const std::span<const RouteField> fields = call.route.fields;
  for (const std::string& name : parameters.names()) {
    if (std::ranges::find(fields, name, &RouteField::name) != fields.end()) continue;
    std::string all;
    for (const RouteField& field : fields)
      fmt::format_to(std::back_inserter(all), "{}{}", all.empty() ? "" : ", ", field.name);
    throw ApiError(400, "{} is not a parameter of {}; it has {}", in_quotes(name), call.route.path, all);
  }
}

void check_key(const Parameters& parameters, RouteCall& call, int if_missing) {
  ApiKeys& keys = *call.loaded->keys;
  if (!keys.required()) return;
  std::string key = parameters.text("api_key");
  if (key.empty()) key = parameters.text("auth_key");
  const std::string_view authorization = call.request.authorization;
  for (const std::string_view scheme : {"deepl-auth-key ", "bearer "})
    if (equal_ignoring_case(authorization.substr(0, scheme.size()), scheme)) key = authorization.substr(scheme.size());
  if (key.empty()) throw ApiError(if_missing, "Please contact the server operator to get an API key");
  const ApiKeys::Key* found = keys.find(key);
  if (found == nullptr) throw ApiError(403, "Invalid API key");
  call.details["key"] = printable(found->name);
  if (keys.take(*found)) return;
  call.retry_after = (60 + found->per_minute - 1) / found->per_minute;
  throw ApiError(429, "Slowdown: {} per 1 minute", found->per_minute);
}

void check_text_limit(std::size_t size, std::size_t limit, int status) {
  if (size > limit) throw ApiError(status, "Invalid request: request ({}) exceeds text limit ({})", size, limit);
}

void check_texts(std::span<const std::string> texts, const RouteCall& call, int status) {
  const ServeOptions& options = call.service.options();
  check_text_limit(texts.size(), static_cast<std::size_t>(options.max_texts), status);
  for (const std::string& text : texts)
    check_text_limit(utf8_length(text), static_cast<std::size_t>(options.max_characters), status);
}

namespace {

std::size_t count_words(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size(); ++i) words += !is_space(text[i]) && (i == 0 || is_space(text[i - 1]));
  return words;
}

}  // namespace

void note_texts(const TranslationPath& path, std::size_t texts, std::size_t characters, RouteCall& call) {
  const auto add = [&](const char* name, std::size_t more) {
    call.details[name] = call.details.value(name, std::size_t{0}) + more;
  };
  call.details["pair"] = path.name();
  add("texts", texts);
  add("characters", characters);
}

void note_texts(const TranslationPath& path, std::span<const std::string> texts, RouteCall& call) {
  std::size_t characters = 0;
  for (const std::string& text : texts) characters += utf8_length(text);
  note_texts(path, texts.size(), characters, call);
  std::size_t words = 0;
  for (const std::string& text : texts) words += count_words(text);
  call.details["words"] = call.details.value("words", std::size_t{0}) + words;
  if (!call.service.options().log_text) return;
  for (const std::string& text : texts) call.details["text"].push_back(printable(text, kLongestLogged));
}

std::vector<TranslatedText> translate_texts(const TranslationPath& path, std::span<const std::string> texts,
                                            std::size_t alternatives, RouteCall& call) {
  return translate_texts(path, texts, options_for(call, alternatives + 1), call);
}

std::vector<TranslatedText> translate_texts(const TranslationPath& path, std::span<const std::string> texts,
                                            const translate::TranslateOptions& options, RouteCall& call) {
  note_texts(path, texts, call);
  const auto nbest = static_cast<std::size_t>(options.search.nbest);
  std::vector<std::string_view> lines;
  std::vector<std::size_t> ends;  // of the texts, in lines
  for (const std::string& text : texts) {
    for (const std::string_view line : split_lines(text)) {
      check_text_limit(utf8_length(line), kLongestLine / nbest);
      lines.push_back(line);
    }
    ends.push_back(lines.size());
  }
  const auto translated = translate_lines(path, lines, options, call);
  std::vector<TranslatedText> results;
  std::size_t from = 0;
  for (const std::size_t end : ends) {
    results.push_back(join_lines(std::span(translated).subspan(from, end - from), nbest));
    from = end;
  }
  return results;
}

}  // namespace heed::serve
