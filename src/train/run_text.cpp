#include "train/run_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "alignment/attention_links.h"
#include "base/checksum.h"
#include "base/parallel.h"
#include "data/split.h"
#include "data/spool.h"
#include "data/subword_learning.h"
#include "survey/survey.h"
#include "text/placeholders.h"

namespace heed::train {
namespace {

// With more pairs, there are no data warnings, because the survey would take minutes.
constexpr std::size_t kMaxSurveyPairs = 1'000'000;

void add_examples(Xxh64& digest, const data::ExampleStore& examples) {
  for (std::size_t i = 0; i < examples.size(); ++i) {
    // Each side ends in the end symbol, so the boundaries between sentences are covered too.
    digest.update(std::as_bytes(examples.source(i)));
    digest.update(std::as_bytes(examples.target(i)));
  }
}

// Surveys the corpus, with one example per problem, and compares it with the validation text, if any.
survey::Survey survey_training_text(const RunConfig& config, const RunFiles& files, const data::CorpusFiles& corpus,
                                    const data::Languages& languages,
                                    const std::function<void(std::int64_t, std::int64_t)>& on_progress) {
  const auto tokenizer = text::make_tokenizer({.kind = "whitespace"});
  survey::SurveyOptions options{.source_tokenizer = tokenizer.get(),
                                .target_tokenizer = tokenizer.get(),
                                .cases = 1,
                                .case_texts = false,
                                .dropped = survey::problems_of(config.data.filters),
                                .source_language = config.text.source_language,
                                .target_language = config.text.target_language,
                                .on_progress = on_progress};
  if (files.has_valid() && !files.valid(languages).reads_standard_input())
    options.held_out = {{"validation", files.valid(languages)}};
  return survey_corpus(corpus, options);
}

// UsageError if the text settings would not keep placeholder tokens whole.
void check_placeholders(const text::TextConfig& text, const RunFiles& files) {
  check<UsageError>(text.has_subwords() || text.tokenizer == "words" || text.tokenizer == "characters",
                    "data.placeholders needs the tokenizer words, bpe, unigram or characters, not {}: set another "
                    "data.tokenizer, or data.placeholders=false",
                    text.tokenizer);
  check<UsageError>(files.guided_alignment.empty(),
                    "--guided-alignment cannot be combined with data.placeholders, which replaces words that the links "
                    "count: set data.placeholders=false");
  const std::string token = text::placeholder_tokens().front();
  for (const std::string& step : text.normalize)
    check<UsageError>(
        text::Normalizer(std::span(&step, 1)).apply(token) == token,
        "data.placeholders cannot be combined with the step {} of data.normalize, which removes placeholder "
        "tokens: leave one of them out",
        step);
}

// Adds `more`, which may have fewer entries, to `counts`.
void add_counts(std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& more) {
  for (std::size_t i = 0; i < more.size(); ++i) counts[i] += more[i];
}

}  // namespace

void check_before_reading(const RunConfig& config, const RunFiles& files, bool is_new) {
  check_paths(files);
  model::ModelConfig model = config.model;
  model.vocabulary = {.source = 4, .target = 4};  // dummies: the sizes are known once the text is read
  check_config(model);
  check<UsageError>(!config.text.has_subwords() || config.text.subword_joint || !config.data.shared_vocabulary,
                    "data.shared_vocabulary needs data.subword_joint if data.tokenizer is {}: set both or neither",
                    config.text.tokenizer);
  // With --from, the parent model decides.
  const bool shares_vocabulary = config.text.has_subwords() ? config.text.subword_joint : config.data.shared_vocabulary;
  check<UsageError>(!is_new || !files.from.empty() || config.model.tied != model::Tying::all || shares_vocabulary,
                    "embeddings.tied is all, but source and target have separate vocabularies: set {} to true, or "
                    "embeddings.tied to decoder",
                    config.text.has_subwords() ? "data.subword_joint" : "data.shared_vocabulary");
  if (!files.guided_alignment.empty()) {
    check<UsageError>(
        model.attends(),
        "--guided-alignment needs attention, but attention.score is {}; set another score, or choose a preset "
        "with attention",
        enum_name(model.attention.score));
    check<UsageError>(!config.text.has_subwords() || config.text.subword_sampling == 0,
                      "--guided-alignment cannot be combined with data.subword_sampling, which segments words anew "
                      "in every epoch: set it to 0");
    check<UsageError>(config.data.augment.empty(),
                      "--guided-alignment cannot be combined with data.augment, which changes the words that the links "
                      "count: set 'data.augment=[]'");
    LineReader{files.guided_alignment};
  }
  if (config.text.placeholders) check_placeholders(config.text, files);
  check<UsageError>(!files.from.empty() || config.data.extend_vocabulary == 0,
                    "data.extend_vocabulary needs --from, the model whose vocabularies are extended");
  const auto open = [](const data::CorpusFiles& corpus) {
    if (!corpus.reads_standard_input()) data::PairReader{corpus};
  };
  open(files.train(config.languages()));
  if (files.has_valid()) open(files.valid(config.languages()));
}

RunText::RunText(const RunConfig& config, const RunFiles& files, const ParentModel* parent, int workers,
                 const std::string& scratch_directory, const std::function<void(std::int64_t pairs)>& on_progress,
                 bool normalize_references)
    : pool_(std::make_unique<ThreadPool>(worker_count(config.training.threads))),
      seed_(static_cast<std::uint64_t>(config.training.seed)),
      languages_(config.languages().asked() || parent == nullptr ? config.languages() : parent->languages()),
      scratch_directory_(scratch_directory) {
  data::PrepareOptions options{
      .selection = {.max_words = config.data.max_length,
                    .source_prefixes = config.data.source_prefixes,
                    .target_prefixes = config.data.target_prefixes,
                    .pairs = config.data.pairs},
      .scratch_directory = scratch_directory,
      .source_normalizer = text::Normalizer(config.text.normalize, config.text.source_language),
      .target_normalizer = text::Normalizer(config.text.normalize, config.text.target_language),
      .pool = pool_.get(),
      .on_progress = [&](std::int64_t pairs, std::int64_t) { on_progress(pairs); }};
  data::CorpusFiles corpus = files.train(languages_);
  std::optional<data::SpooledCorpus> copy;  // needed if the text is read several times
  if (config.data.holdout || !config.data.filters.empty() || (config.text.has_subwords() && parent == nullptr))
    corpus = copy.emplace(corpus, scratch_directory).files();
  choose_pairs(config, files, corpus, options);
  if (!parts_.empty()) options.selection.parts = &parts_;
  read_training(config, files, corpus, parent, workers, options);
  options.scratch_directory.clear();
  options.selection.pairs = 0;
  options.on_progress = {};
  options.selection.part = 1;
  valid_.spread = choice_.held_out > 0;
  if (valid_.spread) read_validation(corpus, options, normalize_references);
  options.selection.parts = nullptr;
  // Validation files follow the languages of the training text.
  if (files.has_valid()) read_validation(files.valid(train_.languages), options, normalize_references);
}

void RunText::choose_pairs(const RunConfig& config, const RunFiles& files, const data::CorpusFiles& corpus,
                           const data::PrepareOptions& options) {
  if (!config.data.filters.empty()) {
    survey_ = survey_training_text(config, files, corpus, data::corpus_languages(corpus), options.on_progress);
    choice_.filtered = drop_tally(*survey_);
    for (std::size_t i = 0; i < survey_->flags.size(); ++i)
      parts_.push_back(survey_->is_clean(i) ? data::kTrainingPart : data::kNoPart);
    survey_->flags = {};
  }
  if (!config.data.holdout) return;
  const data::PairSelection& selection = options.selection;
  const auto has_prefix = [&](const data::SentencePair& pair) {
    return judge_prefixes(selection, options.source_normalizer.apply(pair.source),
                          options.target_normalizer.apply(pair.target)) == data::Verdict::kept;
  };
  data::Split split = split_corpus(corpus, {.may_hold_out = has_prefix, .pairs = selection.pairs, .parts = parts_});
  if (split.eligible < kMinHoldoutPairs || split.pairs[1] == 0) {
    choice_.too_few = split.eligible;
    return;
  }
  parts_ = std::move(split.parts);
  choice_.held_out = split.pairs[1];
  choice_.removed = split.removed;
  train_.limited = split.limited;
}

void RunText::read_training(const RunConfig& config, const RunFiles& files, const data::CorpusFiles& corpus,
                            const ParentModel* parent, int workers, data::PrepareOptions options) {
  const auto words = [&](const text::Vocabulary* base) {
    return text::VocabularyOptions{.minimum_frequency = config.data.min_frequency,
                                   .maximum_size = config.data.max_words,
                                   .special = text::kSpecialNames,
                                   .base = base,
                                   .maximum_new = config.data.extend_vocabulary};
  };
  translate::LineCounter lines(config.text.source_language);
  augment_ = {.kinds = config.data.augment,
              .rate = config.data.augment_rate,
              .source_language = config.text.source_language,
              .target_language = config.text.target_language};
  if (!config.text.has_subwords() && config.text.tokenizer != "characters") unknown_rate_ = config.data.unknown_rate;
  const bool sampled = (config.text.has_subwords() && config.text.subword_sampling > 0) || !augment_.kinds.empty();
  options.on_kept = [&](const data::SentencePair& pair) {
    lines.add(pair.source);
    if (!sampled) return;
    sources_.push_back(pair.source);
    targets_.push_back(pair.target);
  };
  pipeline_ = translate::TextPipeline(
      config.text, parent != nullptr ? parent->pipeline().subwords()
                                     : learn_subwords(corpus, options.selection, config.text, workers));
  const alignment::LinkWords link_words(config.text, config.training.guided_pretokenized);
  options.placeholders = config.text.placeholders;
  options.guides = {files.guided_alignment, link_words.source.get(), link_words.target.get(),
                    config.training.guided_shift};
  const bool shared =
      parent != nullptr ? parent->shares_vocabulary() : config.data.shared_vocabulary || pipeline_.is_joint();
  const bool limited = train_.limited;
  train_ = prepare_corpus(corpus, pipeline_.source_tokenizer(), pipeline_.target_tokenizer(),
                          words(parent != nullptr ? &parent->pipeline().source() : nullptr),
                          words(parent != nullptr ? &parent->pipeline().target() : nullptr), shared, options);
  lines_ = lines.result();
  train_.limited |= limited;
  pipeline_.set_vocabularies(train_.source, train_.target);
  counts_ = {.source = std::exchange(train_.source_counts, {}), .target = std::exchange(train_.target_counts, {})};
  if (parent == nullptr) frequencies_ = counts_;
  if (parent == nullptr || !parent->frequencies()) return;
  frequencies_ = counts_;
  add_counts(frequencies_->source, parent->frequencies()->source);
  add_counts(frequencies_->target, parent->frequencies()->target);
}

void RunText::read_validation(const data::CorpusFiles& corpus, data::PrepareOptions options,
                              bool normalize_references) {
  valid_.normalized = normalize_references;
  options.on_kept = [this, target = options.target_normalizer](const data::SentencePair& pair) {
    valid_.sources.push_back(pair.source);
    valid_.references.push_back(valid_.normalized ? target.apply(pair.target) : pair.target);
  };
  data::Prepared valid = encode_corpus(corpus, {&pipeline_.source_tokenizer(), &pipeline_.source()},
                                       {&pipeline_.target_tokenizer(), &pipeline_.target()}, options);
  valid_.examples = std::move(valid.examples);
  // Held-out text is part of the training text, whose notes have been added already.
  if (!valid_.spread) std::ranges::move(valid.notes, std::back_inserter(train_.notes));
}

model::VocabularyConfig vocabulary_config(const data::Prepared& data) {
  const text::SpecialIds& special = data.target.special();
  return {.source = static_cast<int>(data.source.size()),
          .target = static_cast<int>(data.target.size()),
          .sos = special.sos,
          .eos = special.eos,
          .unk = special.unk};
}

std::string RunText::unknown_words_warning() const {
  const auto unknown = [](const std::vector<std::int64_t>& counts, const text::Vocabulary& words, std::int64_t tokens) {
    const text::TokenId id = words.special().unk;
    return id < 0 ? 0.0
                  : 100.0 * static_cast<double>(counts[static_cast<std::size_t>(id)]) / static_cast<double>(tokens);
  };
  const double source = unknown(counts_.source, train_.source, train_.examples.source_tokens());
  const double target = unknown(counts_.target, train_.target, train_.examples.target_tokens());
  if (source + target == 0) return "";
  return fmt::format(
      "the model has no entry for {:.2f}% of the source tokens and {:.2f}% of the target tokens of this text; "
      "--extend-vocabulary N adds the most frequent ones",
      source, target);
}

TrainingExamples RunText::training_examples() const {
  TrainingExamples result{.examples = train_.examples,
                          .guides = train_.guides.empty() ? nullptr : &train_.guides,
                          .weights = train_.weights};
  if (!sources_.empty() || unknown_rate_ > 0)
    result.resample = [this](std::int64_t epoch) { return sample_epoch(epoch); };
  return result;
}

// The keys of an epoch: 0 and 1 for subword sampling of source and target, 2 for data.augment, 3 for data.unknown_rate.
std::pair<std::vector<Id>, std::vector<Id>> RunText::sample_pair(std::size_t pair,
                                                                 std::span<const std::uint64_t> keys) const {
  const auto index = static_cast<std::uint32_t>(pair);
  const Ids old_source = train_.examples.source(pair), old_target = train_.examples.target(pair);
  std::vector<Id> source(old_source.begin(), old_source.end()), target(old_target.begin(), old_target.end());
  if (!sources_.empty()) {
    std::string source_text = sources_[pair], target_text = targets_[pair];
    data::augment(source_text, target_text, augment_, Random(keys[2], Stream::augment, index));
    const auto alpha = static_cast<float>(pipeline_.config().subword_sampling);
    const auto encode = [&](std::size_t side, const std::string& line, const text::Tokenizer& tokenizer,
                            const text::Vocabulary& vocabulary, std::vector<Id>& ids) {
      std::vector<Id> found;
      const Random random(keys[side], Stream::subword, index);
      for (const text::Token& token : alpha > 0 ? tokenizer.sample(line, {alpha, random}) : tokenizer.tokenize(line))
        found.push_back(vocabulary.id(token.text));
      found.push_back(vocabulary.special().eos);
      // Without a symbol for unknown words, the vocabulary may lack a token of the changed text.
      if (std::ranges::find(found, -1) == found.end()) ids = std::move(found);
    };
    encode(0, source_text, pipeline_.source_tokenizer(), pipeline_.source(), source);
    encode(1, target_text, pipeline_.target_tokenizer(), pipeline_.target(), target);
  }
  if (unknown_rate_ > 0)
    data::replace_rare_words(source, target, {&pipeline_.source(), counts_.source},
                             {&pipeline_.target(), counts_.target}, unknown_rate_,
                             Random(keys[3], Stream::unknown, index));
  return {std::move(source), std::move(target)};
}

data::ExampleStore RunText::sample_epoch(std::int64_t epoch) const {
  std::array<std::uint64_t, 4> keys;
  for (std::uint32_t k = 0; k < keys.size(); ++k) {
    const auto key = philox({static_cast<std::uint32_t>(epoch), k, 0, 0},
                            {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
    keys[k] = std::uint64_t{key[0]} << 32 | key[1];
  }
  constexpr std::size_t kBlock = 1 << 14;  // pairs in memory at once
  std::vector<std::pair<std::vector<Id>, std::vector<Id>>> pairs(std::min(kBlock, train_.examples.size()));
  data::ExampleWriter writer(scratch_directory_);
  for (std::size_t from = 0; from < train_.examples.size(); from += kBlock) {
    const std::size_t count = std::min(kBlock, train_.examples.size() - from);
    parallel_for(*pool_, count, [&](int, std::size_t i) { pairs[i] = sample_pair(from + i, keys); });
    for (std::size_t i = 0; i < count; ++i) writer.add(pairs[i].first, pairs[i].second);
  }
  return writer.finish();
}

std::string RunText::train_checksum() const {
  Xxh64 digest;
  add_examples(digest, train_.examples);
  for (std::size_t i = 0; i < train_.guides.size(); ++i) digest.update(std::as_bytes(train_.guides[i]));
  digest.update(std::as_bytes(std::span(train_.weights)));
  digest.update(train_.source.serialize());
  digest.update(train_.target.serialize());
  return hex_digest(digest.digest());
}

std::string RunText::valid_checksum() const {
  Xxh64 digest;
  add_examples(digest, valid_.examples);
  for (std::size_t i = 0; i < valid_.references.size(); ++i) {
    digest.update(valid_.sources[i] + '\n');
    digest.update(valid_.references[i] + '\n');
  }
  return hex_digest(digest.digest());
}

std::vector<std::string> RunText::data_warnings(const RunConfig& config, const RunFiles& files) const {
  const data::CorpusFiles corpus = files.train(languages_);
  if (train_.examples.size() > kMaxSurveyPairs || corpus.reads_standard_input()) return {};
  const survey::Survey survey = survey_ ? *survey_ : survey_training_text(config, files, corpus, train_.languages, {});
  // Leaked pairs are reported below, per validation file; pairs with the other problems may well be good.
  const survey::ProblemSet silent = survey::problems_of(config.data.filters) | bit(survey::Problem::leaked) |
                                    bit(survey::Problem::numbers) | bit(survey::Problem::near_duplicate);
  std::vector<std::string> sentences;
  for (std::size_t p = 0; p < survey::kProblems; ++p) {
    const survey::Finding& finding = survey.findings[p];
    const survey::ProblemKind& kind = survey::kProblemKinds[p];
    if (finding.count == 0 || (silent >> p & 1U) != 0) continue;
    const survey::SurveyCase& first = finding.cases.front();
    sentences.push_back(fmt::format("{} {} (first: {})", finding.count, finding.count == 1 ? kind.one : kind.many,
                                    corpus.parts.size() == 1
                                        ? fmt::format("line {}", first.line)
                                        : fmt::format("{}:{}", printable(first.source_file), first.line)));
  }
  for (const survey::HeldOutSurvey& held : survey.held_out)
    if (held.pair_seen > 0)
      sentences.push_back(
          fmt::format("validation pairs that also occur in the training text: {} of {}", held.pair_seen, held.pairs));
  return sentences;
}

}  // namespace heed::train
