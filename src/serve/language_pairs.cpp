#include "serve/language_pairs.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/error.h"
#include "model/model_file.h"
#include "text/languages.h"

namespace heed::serve {
namespace {

constexpr std::pair<std::string_view, std::string_view> kOutward[] = {
    {"pb", "pt-BR"}, {"zh", "zh-Hans"}, {"zt", "zh-Hant"}};

// "en-de", "en_de" or "en>de" as two codes; empty if it is not one of these.
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

// Where "PAIR=" ends in an argument; 0 if it has no pair. A path may contain '=' too.
std::size_t pair_length(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || argument.find('/') < equals) return 0;
  return equals + 1;
}

}  // namespace

std::unique_ptr<translate::TextLayer> LayerStock::take() {
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

void LayerStock::give_back(std::unique_ptr<translate::TextLayer> layer) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(layer));
}

std::vector<translate::LineResult> LanguagePair::translate(std::span<const translate::TranslateRequest> lines,
                                                           const translate::TranslateOptions& options) {
  auto layer = layers->take();
  std::vector<translate::LineResult> results = layer->translate(lines, options);
  layers->give_back(std::move(layer));  // not after an exception, which may leave it in any state
  return results;
}

std::vector<text::MarkedText> LanguagePair::translate(std::span<const text::MarkedText> texts,
                                                      const translate::TranslateOptions& options) {
  auto layer = layers->take();
  std::vector<text::MarkedText> results = layer->translate(texts, options);
  layers->give_back(std::move(layer));
  return results;
}

std::string model_of_argument(const std::string& argument) {
  return argument.substr(pair_length(argument));
}

void LanguagePairs::add(const std::string& argument, const translate::SharedTranslatorOptions& options,
                        const translate::TextOptions& text) {
  const std::string path = model_of_argument(argument);
  auto pair = std::make_unique<LanguagePair>();
  pair->translator = std::make_unique<translate::Translator>(path);
  if (path.size() < argument.size()) {
    const std::string name = argument.substr(0, pair_length(argument) - 1);
    std::tie(pair->source, pair->target) = split_pair(name);
    check<UsageError>(!pair->source.empty(), "{} is not a pair of languages; write it as en-de={}", in_quotes(name),
                      path);
  } else {
    const text::TextConfig& config = pair->translator->pipeline().config();
    const model::RecordedLanguages recorded = pair->translator->recorded_languages();
    pair->source = text::language_key(config.source_language.empty() ? recorded.source : config.source_language);
    pair->target = text::language_key(config.target_language.empty() ? recorded.target : config.target_language);
    check<UsageError>(!pair->source.empty() && !pair->target.empty(),
                      "{} does not say which languages it translates; name them, for example en-de={}", path, path);
  }
  for (const std::string& code : {pair->source, pair->target})  // they appear in addresses, answers and metrics
    check<UsageError>(
        code.size() <= 20 && std::ranges::all_of(code, [](unsigned char c) { return std::isalnum(c) != 0; }),
        "{} is not a language code; name the languages, for example en-de={}", in_quotes(code), path);
  check<UsageError>(find(pair->source, pair->target) == nullptr, "two models translate {}; give one of them",
                    pair->name());
  pair->shared = std::make_unique<translate::SharedTranslator>(*pair->translator, options);
  translate::TextOptions own = text;
  load_glossary(own, pair->translator->pipeline().config());
  pair->layers = std::make_unique<LayerStock>(*pair->shared, std::move(own));
  pairs_.push_back(std::move(pair));
}

LanguagePair* LanguagePairs::find(std::string_view source, std::string_view target) const {
  const auto found =
      std::ranges::find_if(pairs_, [&](const auto& pair) { return pair->source == source && pair->target == target; });
  return found == pairs_.end() ? nullptr : found->get();
}

std::vector<LanguagePairs::Language> LanguagePairs::languages() const {
  std::map<std::string, std::set<std::string>> targets;
  for (const auto& pair : pairs_) {
    targets[pair->source].insert({pair->source, pair->target});
    targets[pair->target].insert(pair->target);
  }
  std::vector<Language> all;
  for (const auto& [code, reached] : targets)
    all.push_back({.code = code, .name = language_name(code), .targets = {reached.begin(), reached.end()}});
  return all;
}

std::string LanguagePairs::find_code(std::string_view name) const {
  const std::string wanted = lower_ascii(name);
  const auto is_here = [&](std::string_view code) {
    return std::ranges::any_of(pairs_, [&](const auto& pair) { return pair->source == code || pair->target == code; });
  };
  for (const auto& [code, outward] : kOutward)
    if (wanted == lower_ascii(outward) && is_here(code)) return std::string(code);
  for (const std::string& code : {wanted, text::primary_language(wanted)})
    if (is_here(code)) return code;
  return "";
}

std::string LanguagePairs::only_source() const {
  for (const auto& pair : pairs_)
    if (pair->source != pairs_.front()->source) return "";
  return pairs_.empty() ? "" : pairs_.front()->source;
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
