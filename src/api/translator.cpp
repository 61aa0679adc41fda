#include "heed/translator.h"

#include <algorithm>
#include <iterator>

#include "api/convert.h"
#include "api/guard.h"
#include "api/settings.h"
#include "api/translator_impl.h"
#include "base/error.h"
#include "base/thread_pool.h"
#include "text/languages.h"
#include "translate/text_layer.h"

namespace heed {
namespace {

struct SettledOptions {
  translate::TranslateOptions translate;
  translate::TextOptions layer;
};

SettledOptions settle_translation(const TranslateOptions& wanted, const translate::Translator& translator) {
  SettledOptions settled;
  translate::TranslateOptions& options = settled.translate;
  std::string unknown = "names";
  Options registry("translate");
  registry.flag("unknown", unknown, "see heed translate");
  declare(registry, settled.layer);
  declare(registry, options);
  Settings settings = wanted.settings;
  if (wanted.beam != 0) settings.emplace_back("beam", std::to_string(wanted.beam));
  if (wanted.nbest != 1) settings.emplace_back("nbest", std::to_string(wanted.nbest));
  api::apply_settings(registry, settings);
  check<UsageError>(!registry.is_set(&options.threads) && !registry.is_set(&options.batch),
                    "the threads of a translator compute the sentences of all calls; set TranslatorOptions::threads "
                    "instead of the settings threads and batch");
  resolve(options.search, registry);
  resolve(settled.layer, registry);
  options.unknown = translate::UnknownWords::parse(unknown);
  settled.layer.copy_names = unknown == "names";
  load_glossary(settled.layer, translator.pipeline().languages());
  options.search.attention = wanted.attention || wanted.alignment;
  options.warnings = wanted.warnings;
  return settled;
}

Translation to_public(const std::string& line, const translate::LineResult& result, std::size_t index,
                      const TranslateOptions& wanted) {
  const translate::Translation& from = result.translations[index];
  Translation to;
  to.text = from.text;
  to.score = from.score;
  to.log_probability = from.log_probability;
  to.probabilities = from.probabilities;
  if (wanted.alignment) to.alignment = api::to_public(word_links(line, result, index));
  to.attention = api::to_public(from.attention);
  if (!wanted.attention) to.attention.weights.clear();
  return to;
}

TranslatedLine to_public(const std::string& line, translate::LineResult result, const TranslateOptions& wanted) {
  TranslatedLine converted;
  converted.too_long = result.too_long;
  if (!result.done()) return converted;
  const bool joins = wanted.attention && !result.chunks.empty() && !result.best().attention.has_weights();
  if (joins) join_weights(result);
  for (std::size_t i = 0; i < result.translations.size(); ++i)
    converted.translations.push_back(to_public(line, result, i, wanted));
  for (const translate::Warning& warning : result.warnings)
    converted.warnings.push_back({std::string(name_of(warning.kind)), warning.text, is_about_source(warning.kind),
                                  warning.span.from, warning.span.to});
  return converted;
}

// Attention of this many pairs is in memory at once.
constexpr std::size_t kAlignedAtOnce = 5000;

void check_pairs(const std::vector<std::string>& sources, const std::vector<std::string>& targets) {
  check<UsageError>(sources.size() == targets.size(), "{} sources and {} targets, expected one target per source",
                    sources.size(), targets.size());
}

const std::vector<std::string>& checked(const std::vector<std::string>& models) {
  check<UsageError>(!models.empty(), "a translator needs at least one model");
  return models;
}

int checked_threads(int threads) {
  check<UsageError>(threads >= 0, "the number of threads is {}, expected 0 (one per core) or more", threads);
  return worker_count(threads);
}

}  // namespace

Translator::Impl::Impl(const std::vector<std::string>& models, const TranslatorOptions& options)
    : translator(checked(models), options.copy ? model::ModelMemory::copied : model::ModelMemory::mapped),
      shared(translator, {.threads = checked_threads(options.threads)}),
      threads(checked_threads(options.threads)) {}

Translator::Translator(const std::string& model, const TranslatorOptions& options)
    : Translator(std::vector<std::string>{model}, options) {}

Translator::Translator(const std::vector<std::string>& models, const TranslatorOptions& options)
    : impl_(api::guarded([&] { return std::make_unique<Impl>(models, options); })) {}

Translator::~Translator() = default;
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;

std::vector<TranslatedLine> Translator::translate(const std::vector<std::string>& lines,
                                                  const TranslateOptions& options) const {
  api::CallbackException callback;
  std::vector<TranslatedLine> translated = api::guarded([&] {
    SettledOptions settled = settle_translation(options, impl_->translator);
    if (options.on_progress)
      settled.translate.on_progress = [&](std::size_t done, std::size_t all) {
        return callback.run([&] { return options.on_progress(done, all); }, false);
      };
    translate::TextLayer layer(impl_->shared, settled.layer);
    std::vector<translate::LineResult> results =
        layer.translate(translate::requests_for(lines, options.prefixes), settled.translate);
    impl_->translator.check_files();
    std::vector<TranslatedLine> converted;
    converted.reserve(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
      converted.push_back(to_public(lines[i], std::move(results[i]), options));
    return converted;
  });
  callback.rethrow();
  return translated;
}

std::string Translator::translate_line(const std::string& line) const {
  return translate(std::vector<std::string>{line}).front().text();
}

std::vector<ScoredPair> Translator::score(const std::vector<std::string>& sources,
                                          const std::vector<std::string>& targets, const ScoreOptions& options) const {
  return api::guarded([&] {
    check_pairs(sources, targets);
    std::vector<translate::ScoredPair> scored =
        impl_->translator.score(sources, targets,
                                {.pretokenized = options.pretokenized,
                                 .attention = options.attention,
                                 .threads = options.threads == 0 ? impl_->threads : checked_threads(options.threads)});
    impl_->translator.check_files();
    std::vector<ScoredPair> converted;
    converted.reserve(scored.size());
    for (translate::ScoredPair& pair : scored) {
      converted.push_back(
          {pair.too_long, std::move(pair.log_probabilities), api::to_public(std::move(pair.attention))});
      if (!options.attention) converted.back().attention.weights.clear();
    }
    return converted;
  });
}

Alignments Translator::align(const std::vector<std::string>& sources, const std::vector<std::string>& targets,
                             const AlignOptions& options) const {
  api::CallbackException callback;
  Alignments result = api::guarded([&] {
    check_pairs(sources, targets);
    check<UsageError>(has_attention(), "the model has no attention ({}), so it cannot align words", system());
    check<UsageError>(options.source_language.empty() && options.target_language.empty(),
                      "the languages follow from the model; leave out AlignOptions::source_language and "
                      "target_language");
    const alignment::LinkWords words(impl_->translator.pipeline().config(), options.pretokenized);
    translate::ScoreOptions scoring{.pretokenized = options.pretokenized, .threads = checked_threads(options.threads)};
    Alignments aligned;
    bool stopped = false;
    for (std::size_t from = 0; from < sources.size() && !stopped; from += kAlignedAtOnce) {
      const std::size_t count = std::min(kAlignedAtOnce, sources.size() - from);
      const auto source = std::span(sources).subspan(from, count), target = std::span(targets).subspan(from, count);
      if (options.on_progress)
        scoring.on_progress = [&](std::size_t done, std::size_t /*all*/) {
          stopped = !callback.run([&] { return options.on_progress(from + done, sources.size()); }, false);
        };
      const auto scored = impl_->translator.score(source, target, scoring);
      for (const alignment::Alignment& links :
           align_pairs(scored, source, target, words, {.threshold = options.threshold, .shift = options.shift}))
        aligned.links.push_back(api::to_public(links));
      aligned.too_long += std::ranges::count(scored, true, &translate::ScoredPair::too_long);
    }
    impl_->translator.check_files();
    aligned.links.resize(sources.size());
    return aligned;
  });
  callback.rethrow();
  return result;
}

bool Translator::has_attention() const {
  return impl_->translator.has_attention();
}

std::string Translator::system() const {
  return impl_->translator.model().config().system;
}

std::int64_t Translator::parameters() const {
  return impl_->translator.model().parameters().count();
}

std::string Translator::source_language() const {
  return impl_->translator.pipeline().languages().source;
}

std::string Translator::target_language() const {
  return impl_->translator.pipeline().languages().target;
}

}  // namespace heed
