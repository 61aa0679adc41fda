#include "train/run_text.h"

#include "alignment/attention_links.h"
#include "base/checksum.h"
#include "base/parallel.h"
#include "data/subword_learning.h"

namespace heed::train {
namespace {

data::PrepareOptions prepare_options(const RunConfig& c) {
  data::PrepareOptions o;
  o.selection = {.max_words = c.data.max_length,
                 .source_prefixes = c.data.source_prefixes,
                 .target_prefixes = c.data.target_prefixes,
                 .pairs = c.data.pairs};
  o.source_normalizer = text::Normalizer(c.text.normalize, c.text.source_language);
  o.target_normalizer = text::Normalizer(c.text.normalize, c.text.target_language);
  return o;
}

void add_examples(Xxh64& digest, const data::ExampleStore& examples) {
  for (std::size_t i = 0; i < examples.size(); ++i) {
    // Each side ends in the end symbol, which no word is: so the cuts between sentences are covered too.
    digest.update(std::as_bytes(examples.source(i)));
    digest.update(std::as_bytes(examples.target(i)));
  }
}

}  // namespace

void check_before_reading(const RunConfig& config, const RunFiles& files) {
  model::ModelConfig model = config.model;
  model.vocabulary = {.source = 4, .target = 4};  // the sizes come with the text
  check_config(model);
  check<UsageError>(!config.text.has_subwords() || config.text.subword_joint || !config.data.shared_vocabulary,
                    "data.shared_vocabulary needs data.subword_joint if data.tokenizer is {}: set both or neither",
                    config.text.tokenizer);
  if (!files.guided_alignment.empty()) {
    check<UsageError>(model.attends(), "--guided-alignment needs attention, but attention.score is {}",
                      enum_name(model.attention.score));
    check<UsageError>(!config.text.has_subwords() || config.text.subword_sampling == 0,
                      "--guided-alignment does not go with data.subword_sampling, which cuts words anew every epoch: "
                      "set it to 0");
    LineReader{files.guided_alignment};
  }
  if (!files.train().reads_standard_input()) data::PairReader{files.train()};
  if (files.has_valid() && !files.valid().reads_standard_input()) data::PairReader{files.valid()};
}

RunText::RunText(const RunConfig& config, const RunFiles& files, int workers, const std::string& scratch_directory,
                 const std::function<void(std::int64_t pairs)>& on_progress)
    : pool_(std::make_unique<ThreadPool>(config.training.thread_count())),
      seed_(static_cast<std::uint64_t>(config.training.seed)) {
  data::PrepareOptions options = prepare_options(config);
  options.pool = pool_.get();
  options.on_progress = [&](std::int64_t pairs, std::int64_t) { on_progress(pairs); };
  options.scratch_directory = scratch_directory;
  read_training(config, files, workers, options);
  options.scratch_directory.clear();
  options.selection.pairs = 0;
  options.on_progress = {};
  if (files.has_valid()) read_validation(files, options);
}

void RunText::read_training(const RunConfig& config, const RunFiles& files, int workers, data::PrepareOptions options) {
  const text::VocabularyOptions words{.minimum_frequency = config.data.min_frequency,
                                      .maximum_size = config.data.max_words,
                                      .special = text::kSpecialNames};
  if (config.text.has_subwords() && config.text.subword_sampling > 0)
    options.on_kept = [this](const data::SentencePair& pair) {
      sources_.push_back(pair.source);
      targets_.push_back(pair.target);
    };
  pipeline_ =
      translate::TextPipeline(config.text, learn_subwords(files.train(), options.selection, config.text, workers));
  const alignment::LinkWords link_words(config.text, config.training.guided_pretokenized);
  options.guides = {files.guided_alignment, link_words.source.get(), link_words.target.get(),
                    config.training.guided_shift};
  const bool shared = config.data.shared_vocabulary || pipeline_.is_joint();
  train_ = prepare_corpus(files.train(), pipeline_.source_tokenizer(), pipeline_.target_tokenizer(), words, words,
                          shared, options);
  pipeline_.set_vocabularies(train_.source, train_.target);
}

void RunText::read_validation(const RunFiles& files, data::PrepareOptions options) {
  // A model that learns lower-case text is not to be blamed for writing it: references are normalized as the training
  // text is.
  options.on_kept = [this, target = options.target_normalizer](const data::SentencePair& pair) {
    valid_.sources.push_back(pair.source);
    valid_.references.push_back(target.apply(pair.target));
  };
  valid_.examples = encode_corpus(files.valid(), {&pipeline_.source_tokenizer(), &pipeline_.source()},
                                  {&pipeline_.target_tokenizer(), &pipeline_.target()}, options)
                        .examples;
}

model::VocabularyConfig RunText::vocabulary() const {
  const text::SpecialIds& special = train_.target.special();
  return {.source = static_cast<int>(train_.source.size()),
          .target = static_cast<int>(train_.target.size()),
          .sos = special.sos,
          .eos = special.eos,
          .unk = special.unk};
}

TrainingExamples RunText::training_examples() const {
  TrainingExamples result{.examples = train_.examples, .guides = train_.guides.empty() ? nullptr : &train_.guides};
  if (!sources_.empty()) result.resample = [this](std::int64_t epoch) { return draw_epoch(epoch); };
  return result;
}

data::ExampleStore RunText::draw_epoch(std::int64_t epoch) const {
  const auto alpha = static_cast<float>(pipeline_.config().subword_sampling);
  std::vector<std::vector<text::TokenId>> sides[2];
  const auto draw = [&](std::size_t side, std::size_t i) {
    // A key for each side of each epoch, an index for each pair.
    const auto key = philox({static_cast<std::uint32_t>(epoch), static_cast<std::uint32_t>(side), 0, 0},
                            {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
    const Random random(std::uint64_t{key[0]} << 32 | key[1], Stream::subword, static_cast<std::uint32_t>(i));
    const text::Tokenizer& tokenizer = side == 0 ? pipeline_.source_tokenizer() : pipeline_.target_tokenizer();
    const text::Vocabulary& vocabulary = side == 0 ? pipeline_.source() : pipeline_.target();
    std::vector<text::TokenId>& ids = sides[side][i];
    for (const text::Token& token : tokenizer.sample(side == 0 ? sources_[i] : targets_[i], {alpha, random}))
      ids.push_back(vocabulary.id(token.text));
    ids.push_back(vocabulary.special().eos);
  };
  sides[0].resize(sources_.size());
  sides[1].resize(targets_.size());
  parallel_for(*pool_, sources_.size(), [&](int, std::size_t i) { draw(0, i), draw(1, i); });
  data::ExampleWriter writer;
  for (std::size_t i = 0; i < sources_.size(); ++i) writer.add(sides[0][i], sides[1][i]);
  return writer.finish();
}

std::string RunText::train_checksum() const {
  Xxh64 digest;
  add_examples(digest, train_.examples);
  for (std::size_t i = 0; i < train_.guides.size(); ++i) digest.update(std::as_bytes(train_.guides[i]));
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

}  // namespace heed::train
