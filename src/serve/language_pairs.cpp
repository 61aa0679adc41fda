#include "serve/language_pairs.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/checksum.h"
#include "base/error.h"
#include "base/files.h"
#include "model/model_file.h"
#include "model/model_path.h"
#include "text/languages.h"

namespace heed::serve {
namespace {

constexpr std::pair<std::string_view, std::string_view> kOutward[] = {
    {"pb", "pt-BR"}, {"zh", "zh-Hans"}, {"zt", "zh-Hant"}};

// Splits "en-de", "en_de" or "en>de" into two codes; both are empty if the text is not a pair.
std::pair<std::string, std::string> split_pair(std::string_view pair) {
  const std::size_t middle = pair.find_first_of("-_>");
  if (middle == std::string_view::npos || middle == 0 || middle + 1 == pair.size()) return {};
  const std::string source = text::language_key(pair.substr(0, middle));
  const std::string target = text::language_key(pair.substr(middle + 1));
  return {source, target};
}

std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return lower;
}

// The length of "PAIR=" at the start of an argument; 0 if it has no pair. A '=' after a slash belongs to the path.
std::size_t pair_length(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || argument.find('/') < equals) return 0;
  return equals + 1;
}

std::string file_digest(const std::string& path) {
  Xxh64 digest;
  digest.update(read_file(path));
  return hex_digest(digest.digest());
}

}  // namespace

std::unique_ptr<translate::TextLayer> LayerPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto layer = std::move(idle_.back());
      idle_.pop_back();
      return layer;
    }
  }
  return std::make_unique<translate::TextLayer>(translator_, options_);
}

void LayerPool::give_back(std::unique_ptr<translate::TextLayer> layer) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(layer));
}

std::vector<translate::LineResult> LanguagePair::translate(std::span<const translate::TranslateRequest> lines,
                                                           const translate::TranslateOptions& options) {
  auto layer = layers->take();
  std::vector<translate::LineResult> results = layer->translate(lines, options);
  layers->give_back(std::move(layer));  // not after an exception, which may leave the layer in any state
  return results;
}

std::vector<text::MarkedText> LanguagePair::translate(std::span<const text::MarkedText> texts,
                                                      const translate::TranslateOptions& options) {
  auto layer = layers->take();
  std::vector<text::MarkedText> results = layer->translate(texts, options);
  layers->give_back(std::move(layer));
  return results;
}

std::vector<translate::LineResult> TranslationPath::translate(std::span<const translate::TranslateRequest> lines,
                                                              const translate::TranslateOptions& options) const {
  if (second == nullptr) return first->translate(lines, options);
  translate::TranslateOptions best = options;
  best.search.nbest = 1;
  const std::vector<translate::LineResult> between = first->translate(lines, best);
  std::vector<translate::TranslateRequest> pivot_lines(lines.begin(), lines.end());
  for (std::size_t i = 0; i < pivot_lines.size(); ++i)
    pivot_lines[i].text = between[i].done() ? std::string_view(between[i].best().text) : std::string_view();
  std::vector<translate::LineResult> results = second->translate(pivot_lines, options);
  for (std::size_t i = 0; i < pivot_lines.size(); ++i)
    if (!between[i].done()) results[i].translations.clear();
  return results;
}

std::vector<text::MarkedText> TranslationPath::translate(std::span<const text::MarkedText> texts,
                                                         const translate::TranslateOptions& options) const {
  if (second == nullptr) return first->translate(texts, options);
  return second->translate(first->translate(texts, options), options);
}

std::string model_of_argument(const std::string& argument) {
  return argument.substr(pair_length(argument));
}

void LanguagePairs::add(const std::string& argument, const translate::SharedTranslatorOptions& options,
                        const translate::TextOptions& text, std::shared_ptr<translate::SentenceCache> cache) {
  const std::string path = model_of_argument(argument);
  auto pair = std::make_unique<LanguagePair>();
  pair->translator = std::make_unique<translate::Translator>(path, model::ModelMemory::copied);
  if (path.size() < argument.size()) {
    const std::string name = argument.substr(0, pair_length(argument) - 1);
    std::tie(pair->source, pair->target) = split_pair(name);
    check<UsageError>(!pair->source.empty(), "{} is not a pair of languages; write it as en-de={}", in_quotes(name),
                      path);
  } else {
    const model::RecordedLanguages& languages = pair->translator->pipeline().languages();
    pair->source = text::language_key(languages.source);
    pair->target = text::language_key(languages.target);
    check<UsageError>(!pair->source.empty() && !pair->target.empty(),
                      "{} does not record which languages it translates; name them, for example en-de={}", path, path);
  }
  for (const std::string& code : {pair->source, pair->target})  // codes appear in URLs, answers and metrics
    check<UsageError>(
        code.size() <= 20 && std::ranges::all_of(code, [](unsigned char c) { return std::isalnum(c) != 0; }),
        "{} is not a language code; name the languages, for example en-de={}", in_quotes(code), path);
  check<UsageError>(find(pair->source, pair->target) == nullptr, "two models translate {}; give only one of them",
                    pair->name());
  pair->shared = std::make_unique<translate::SharedTranslator>(*pair->translator, options);
  const std::string digest = cache != nullptr ? file_digest(model::model_path(path)) : "";
  pair->cached = std::make_unique<translate::CachedTranslator>(*pair->shared, std::move(cache), digest);
  translate::TextOptions own = text;
  load_glossary(own, pair->translator->pipeline().languages());
  pair->layers = std::make_unique<LayerPool>(*pair->cached, std::move(own));
  pairs_.push_back(std::move(pair));
}

LanguagePair* LanguagePairs::find(std::string_view source, std::string_view target) const {
  const auto found =
      std::ranges::find_if(pairs_, [&](const auto& pair) { return pair->source == source && pair->target == target; });
  return found == pairs_.end() ? nullptr : found->get();
}

TranslationPath LanguagePairs::find_path(std::string_view source, std::string_view target) const {
  if (LanguagePair* pair = find(source, target)) return {.first = pair};
  if (pivot_.empty() || source == target) return {};
  const TranslationPath path{.first = find(source, pivot_), .second = find(pivot_, target)};
  return path.second != nullptr ? path : TranslationPath{};
}

void LanguagePairs::set_pivot(std::string_view language) {
  pivot_ = text::language_key(language);
  const auto has = [&](std::string LanguagePair::*side) {
    return std::ranges::any_of(pairs_, [&](const auto& pair) { return (*pair).*side == pivot_; });
  };
  const bool from = has(&LanguagePair::source), into = has(&LanguagePair::target);
  check<UsageError>(from && into, "--pivot {0} needs a model into {0} and one from {0}, but there is {1}", pivot_,
                    from   ? "none into it"
                    : into ? "none from it"
                           : "neither");
}

std::vector<LanguagePairs::Language> LanguagePairs::languages() const {
  std::map<std::string, std::set<std::string>> targets;
  for (const auto& pair : pairs_) {
    targets[pair->source].insert({pair->source, pair->target});
    targets[pair->target].insert(pair->target);
  }
  for (auto& [source, reached] : targets)
    for (const auto& pair : pairs_)
      if (find_path(source, pair->target)) reached.insert(pair->target);
  std::vector<Language> all;
  for (const auto& [code, reached] : targets)
    all.push_back({.code = code, .name = language_name(code), .targets = {reached.begin(), reached.end()}});
  return all;
}

std::string LanguagePairs::find_code(std::string_view name) const {
  const std::string wanted = lower_ascii(name);
  const auto is_known = [&](std::string_view code) {
    return std::ranges::any_of(pairs_, [&](const auto& pair) { return pair->source == code || pair->target == code; });
  };
  for (const auto& [code, outward] : kOutward)
    if (wanted == lower_ascii(outward) && is_known(code)) return std::string(code);
  for (const std::string& code : {wanted, text::primary_language(wanted)})
    if (is_known(code)) return code;
  return "";
}

std::vector<std::string> LanguagePairs::sources() const {
  std::set<std::string> codes;
  for (const auto& pair : pairs_) codes.insert(pair->source);
  return {codes.begin(), codes.end()};
}

std::string language_name(std::string_view code) {
  const std::string described = text::describe_language(code);  // "German (de)"
  const std::size_t end = described.rfind(" (");
  return end == std::string::npos ? described : described.substr(0, end);
}

std::string outward_code(std::string_view code) {
  for (const auto& [inward, outward] : kOutward)
    if (code == inward) return std::string(outward);
  return std::string(code);
}

}  // namespace heed::serve
