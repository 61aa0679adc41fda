#include "serve/texts.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/byte_source.h"
#include "base/system.h"
#include "base/utf8.h"
#include "document/format.h"
#include "serve/service.h"

namespace heed::serve {
namespace {

// Lines are translated this many bytes at a time, fewer with alternatives: their results take much more memory than
// their text.
constexpr std::size_t kBlock = 64 << 10;

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

// Documents are read from files; this one has no name and is only in memory.
Descriptor memory_file(std::string_view text) {
  Descriptor file(::memfd_create("request", MFD_CLOEXEC));
  const int error = file.get() < 0 ? errno : write_all(file.get(), text);
  check<InputError>(error == 0, "cannot keep a request in memory: {}", system_message(error));
  return file;
}

// The translations of each line, best first.
std::vector<std::vector<std::string>> translate_lines(LanguagePair& pair, std::span<const std::string_view> lines,
                                                      std::size_t nbest, const RouteCall& call) {
  const translate::TranslateOptions options = options_for(call, nbest);
  std::vector<std::vector<std::string>> all;
  std::vector<translate::TranslateRequest> block;
  for (std::size_t from = 0; from < lines.size();) {
    block.clear();
    for (std::size_t bytes = 0; from < lines.size() && (block.empty() || bytes < kBlock / nbest); ++from) {
      bytes += lines[from].size();
      block.push_back({.text = lines[from], .stop = call.stop, .deadline = call.deadline});
    }
    for (translate::LineResult& line : pair.translate(block, options)) {
      if (!line.done()) throw Stopped{};
      std::vector<std::string>& texts = all.emplace_back();
      for (translate::Translation& translation : line.translations) texts.push_back(std::move(translation.text));
    }
  }
  return all;
}

// The k-th translation of a text has the k-th translation of each line, or its last one.
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

std::vector<TranslatedText> translate_html(LanguagePair& pair, std::span<const std::string> texts, RouteCall& call) {
  note_texts(pair, texts, call);
  translate::TranslateOptions options = options_for(call, 1);
  const auto goes_on = [&] { return !call.stop.stop_requested() && std::chrono::steady_clock::now() < call.deadline; };
  options.on_progress = [&](std::size_t /*done*/, std::size_t /*all*/) { return goes_on(); };
  const auto translate = [&](std::span<const text::MarkedText> segments) {
    std::vector<text::MarkedText> results;
    while (results.size() < segments.size()) {
      const std::span<const text::MarkedText> rest = segments.subspan(results.size());
      std::size_t count = 0;
      for (std::size_t bytes = 0; count < rest.size() && bytes < kBlock; bytes += rest[count++].text.size())
        check_text_limit(utf8_length(rest[count].text), kLongestLine);
      std::ranges::move(pair.translate(rest.first(count), options), std::back_inserter(results));
      if (!goes_on()) throw Stopped{};
    }
    return results;
  };
  const document::DocumentFormat* html = document::find_document_format("html");
  std::vector<TranslatedText> all;
  for (const std::string& text : texts) {
    if (!goes_on()) throw Stopped{};
    const Descriptor file = memory_file(text);
    ByteSource source(descriptor_path(file.get()), Encoding::utf8);
    std::string& result = all.emplace_back().best;
    html->translate(
        source, [&](std::string_view part) { result += part; },
        {.source_language = pair.source, .target_language = pair.target}, translate);
  }
  return all;
}

translate::TranslateOptions options_for(const RouteCall& call, std::size_t nbest) {
  translate::TranslateOptions options = call.service.options().translate;
  options.search.nbest = static_cast<int>(nbest);
  options.search.beam = std::max(options.search.beam, options.search.nbest);
  return options;
}

void check_key(const Parameters& parameters, RouteCall& call, int if_missing) {
  ApiKeys& keys = *call.loaded->keys;
  if (!keys.required()) return;
  std::string key = parameters.text("api_key");
  if (key.empty()) key = parameters.text("auth_key");
  for (const std::string_view scheme : {"DeepL-Auth-Key ", "Bearer "})
    if (call.request.authorization.starts_with(scheme)) key = call.request.authorization.substr(scheme.size());
  if (key.empty()) throw ApiError(if_missing, "Please contact the server operator to get an API key");
  const ApiKeys::Key* found = keys.find(key);
  if (found == nullptr) throw ApiError(403, "Invalid API key");
  call.details["key"] = printable(found->name);
  if (keys.take(*found)) return;
  call.retry_after = (60 + found->per_minute - 1) / found->per_minute;
  throw ApiError(429, "Slowdown: {} per 1 minute", found->per_minute);
}

void check_text_limit(std::size_t size, std::size_t limit) {
  if (size > limit) throw ApiError(400, "Invalid request: request ({}) exceeds text limit ({})", size, limit);
}

void check_texts(std::span<const std::string> texts, const RouteCall& call) {
  const ServeOptions& options = call.service.options();
  check_text_limit(texts.size(), static_cast<std::size_t>(options.max_texts));
  for (const std::string& text : texts)
    check_text_limit(utf8_length(text), static_cast<std::size_t>(options.max_characters));
}

void note_texts(const LanguagePair& pair, std::span<const std::string> texts, RouteCall& call) {
  std::size_t characters = 0;
  for (const std::string& text : texts) characters += utf8_length(text);
  call.details["pair"] = pair.name();
  call.details["texts"] = texts.size();
  call.details["characters"] = characters;
}

std::vector<TranslatedText> translate_texts(LanguagePair& pair, std::span<const std::string> texts,
                                            std::size_t alternatives, RouteCall& call) {
  note_texts(pair, texts, call);
  std::vector<std::string_view> lines;
  std::vector<std::size_t> ends;  // of the texts, in lines
  for (const std::string& text : texts) {
    for (const std::string_view line : split_lines(text)) {
      check_text_limit(utf8_length(line), kLongestLine / (alternatives + 1));
      lines.push_back(line);
    }
    ends.push_back(lines.size());
  }
  const auto translated = translate_lines(pair, lines, alternatives + 1, call);
  std::vector<TranslatedText> results;
  std::size_t from = 0;
  for (const std::size_t end : ends) {
    results.push_back(join_lines(std::span(translated).subspan(from, end - from), alternatives + 1));
    from = end;
  }
  return results;
}

}  // namespace heed::serve
