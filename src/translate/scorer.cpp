#include "translate/scorer.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>

#include "base/parallel.h"
#include "base/utf8.h"
#include "text/encode.h"

namespace heed::translate {
namespace {

using SideIds = std::vector<std::vector<Id>>;  // one per line, the end symbol last

// The tokens of a line, including the end symbol; their ids go to `ids`.
std::vector<text::Token> encode(const text::Tokenizer& tokenizer, const text::Vocabulary& vocabulary,
                                const std::string& line, std::vector<Id>& ids) {
  std::vector<text::Token> tokens = tokenizer.tokenize(line);
  encode_tokens(tokens, vocabulary, ids);
  const auto end = static_cast<std::uint32_t>(utf8_length(line));
  tokens.push_back({vocabulary.word(vocabulary.special().eos), {end, end}});
  return tokens;
}

void score_batch(const model::Model& model, const ScoreOptions& options, std::span<const std::size_t> batch,
                 const SideIds& sources, const SideIds& targets, std::span<ScoredPair> results, autograd::Tape& tape) {
  std::vector<Ids> source, target;
  for (const std::size_t i : batch) source.emplace_back(sources[i]), target.emplace_back(targets[i]);
  tape.clear(autograd::Tape::Mode::forward_only);
  const model::BatchLoss forced = model.loss(tape, {source, target}, {});
  for (std::size_t b = 0; b < batch.size(); ++b) {
    const std::size_t i = batch[static_cast<std::size_t>(forced.target.order[b])];
    ScoredPair& pair = results[i];
    for (std::size_t t = 0; t < targets[i].size(); ++t) {
      const Index row = forced.target.row(static_cast<Index>(b), static_cast<Index>(t));
      pair.log_probabilities.push_back(-forced.losses.row<float>(row)[0]);
      if (!options.attention || !forced.weights) continue;
      const float* const weights = forced.weights.value.row<float>(row);
      pair.attention.weights.insert(pair.attention.weights.end(), weights, weights + sources[i].size());
    }
  }
}

// Batches of pairs of similar length, longest first; the weights of a batch take at most a few megabytes.
std::vector<std::vector<std::size_t>> make_batches(std::vector<std::size_t> order, const SideIds& sources,
                                                   const SideIds& targets, std::size_t size) {
  constexpr std::size_t kMostWeights = std::size_t{1} << 22;
  const auto lengths = [&](std::size_t i) { return std::pair(targets[i].size(), sources[i].size()); };
  std::ranges::stable_sort(order, std::greater{}, lengths);
  std::vector<std::vector<std::size_t>> batches;
  std::size_t rows = 0, columns = 0;
  for (const std::size_t i : order) {
    const auto [t, s] = lengths(i);
    if (batches.empty() || batches.back().size() == size || (rows + t) * std::max(columns, s) > kMostWeights)
      batches.emplace_back(), rows = columns = 0;
    batches.back().push_back(i);
    rows += t;
    columns = std::max(columns, s);
  }
  return batches;
}

}  // namespace

std::vector<ScoredPair> score_pairs(const model::Model& model, const TextPipeline& pipeline,
                                    std::span<const std::string> sources, std::span<const std::string> targets,
                                    const ScoreOptions& options) {
  check(sources.size() == targets.size(), "{} sources and {} targets", sources.size(), targets.size());
  check<UsageError>(options.batch > 0, "the batch size is {}, expected at least 1", options.batch);
  const text::TextConfig& config = pipeline.config();
  std::optional<TextPipeline> by_spaces;
  if (options.pretokenized && !config.has_subwords() && config.tokenizer != "characters") {
    text::TextConfig words = config;
    words.tokenizer = "whitespace";
    by_spaces.emplace(words);
  }
  const TextPipeline& tokenizers = by_spaces ? *by_spaces : pipeline;
  const Index most = model.decoder().max_source_length();
  std::vector<ScoredPair> results(sources.size());
  SideIds source_ids(sources.size()), target_ids(sources.size());
  ThreadPool pool(options.threads);
  parallel_for(pool, sources.size(), [&](int /*worker*/, std::size_t i) {
    ScoredPair& pair = results[i];
    pair.attention = {.source = encode(tokenizers.source_tokenizer(), pipeline.source(), sources[i], source_ids[i]),
                      .target = encode(tokenizers.target_tokenizer(), pipeline.target(), targets[i], target_ids[i]),
                      .source_end = true,
                      .target_end = true};
    const Index s = std::ssize(source_ids[i]), t = std::ssize(target_ids[i]);
    pair.too_long = s > options.max_length || t > options.max_length || (most > 0 && s > most);
    pair.unknown = static_cast<std::size_t>(std::ranges::count(target_ids[i], pipeline.target().special().unk));
  });
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!results[i].too_long) order.push_back(i);
  const std::size_t all = order.size();
  const auto batches = make_batches(std::move(order), source_ids, target_ids, options.batch);
  std::deque<autograd::Tape> tapes;
  for (int worker = 0; worker < pool.size(); ++worker) tapes.emplace_back(model.parameters(), nullptr);
  std::mutex reporting;
  std::size_t done = 0;
  parallel_for(pool, batches.size(), [&](int worker, std::size_t k) {
    score_batch(model, options, batches[k], source_ids, target_ids, results, tapes[static_cast<std::size_t>(worker)]);
    if (!options.on_progress) return;
    const std::lock_guard lock(reporting);
    options.on_progress(done += batches[k].size(), all);
  });
  return results;
}

std::vector<alignment::Alignment> align_pairs(std::span<const ScoredPair> pairs, std::span<const std::string> sources,
                                              std::span<const std::string> targets, const alignment::LinkWords& words,
                                              const alignment::LinkOptions& options) {
  check(pairs.size() == sources.size() && pairs.size() == targets.size(), "{} scored pairs, {} sources, {} targets",
        pairs.size(), sources.size(), targets.size());
  std::vector<alignment::Alignment> alignments;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const text::AttentionMatrix* const attention = &pairs[i].attention;
    alignments.push_back(attention_links({&attention, 1}, words.source->tokenize(sources[i]),
                                         words.target->tokenize(targets[i]), options));
  }
  return alignments;
}

}  // namespace heed::translate
