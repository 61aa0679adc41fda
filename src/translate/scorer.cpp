#include "translate/scorer.h"

#include <algorithm>
#include <deque>
#include <mutex>

#include "base/parallel.h"
#include "base/utf8.h"
#include "text/encode.h"

namespace heed::translate {
namespace {

// The model's tokenizers, or what stands for them if the words are given.
struct Readers {
  std::unique_ptr<text::Tokenizer> own_source, own_target;
  const text::Tokenizer *source, *target;

  Readers(const TextPipeline& pipeline, bool pretokenized)
      : source(&pipeline.source_tokenizer()), target(&pipeline.target_tokenizer()) {
    const text::TextConfig& config = pipeline.config();
    if (!pretokenized || config.has_subwords() || config.tokenizer == "characters") return;
    text::TextConfig words = config;
    words.tokenizer = "whitespace";
    own_source = make_tokenizer(words.source());
    own_target = make_tokenizer(words.target());
    source = own_source.get();
    target = own_target.get();
  }
};

struct TokenIds {
  std::vector<text::Token> tokens;
  std::vector<Id> ids;  // the end symbol's last
};

TokenIds encode(const text::Tokenizer& tokenizer, const text::Vocabulary& vocabulary, const std::string& line) {
  TokenIds side{.tokens = tokenizer.tokenize(line), .ids = {}};
  encode_tokens(side.tokens, vocabulary, side.ids);
  return side;
}

// The end symbol as a token: nothing of the text.
text::Token end_token(const text::Vocabulary& vocabulary, const std::string& line) {
  const auto end = static_cast<std::uint32_t>(utf8_length(line));
  return {vocabulary.word(vocabulary.special().eos), {end, end}};
}

// The pairs of one part, computed together.
void score_part(const model::Model& model, const ScoreOptions& options, std::span<const std::size_t> part,
                std::span<const TokenIds> sources, std::span<const TokenIds> targets, std::span<ScoredPair> results,
                autograd::Tape& tape) {
  std::vector<Ids> source, target;
  for (const std::size_t i : part) source.emplace_back(sources[i].ids), target.emplace_back(targets[i].ids);
  tape.clear(autograd::Tape::Mode::forward_only);
  const model::BatchLoss forced = model.loss(tape, {source, target}, {});
  for (std::size_t b = 0; b < part.size(); ++b) {
    const std::size_t i = part[static_cast<std::size_t>(forced.target.order[b])];
    ScoredPair& pair = results[i];
    const std::size_t columns = sources[i].ids.size();
    for (std::size_t t = 0; t < targets[i].ids.size(); ++t) {
      const Index row = forced.target.row(static_cast<Index>(b), static_cast<Index>(t));
      pair.log_probabilities.push_back(-forced.losses.row<float>(row)[0]);
      if (!options.attention || !forced.weights) continue;
      const float* const weights = forced.weights.value.row<float>(row);
      pair.attention.weights.insert(pair.attention.weights.end(), weights, weights + columns);
    }
  }
}

// Pairs of like length together, longest first; a part's weights stay within a few megabytes.
std::vector<std::vector<std::size_t>> parts_of(std::vector<std::size_t> order, std::span<const TokenIds> sources,
                                               std::span<const TokenIds> targets, std::size_t batch) {
  constexpr std::size_t kMostWeights = std::size_t{1} << 22;
  const auto lengths = [&](std::size_t i) { return std::pair(targets[i].ids.size(), sources[i].ids.size()); };
  std::ranges::stable_sort(order, std::greater{}, lengths);
  std::vector<std::vector<std::size_t>> parts;
  std::size_t rows = 0, columns = 0;
  for (const std::size_t i : order) {
    const auto [t, s] = lengths(i);
    const bool full =
        !parts.empty() && (parts.back().size() == batch || (rows + t) * std::max(columns, s) > kMostWeights);
    if (parts.empty() || full) parts.emplace_back(), rows = columns = 0;
    parts.back().push_back(i);
    rows += t;
    columns = std::max(columns, s);
  }
  return parts;
}

}  // namespace

std::vector<ScoredPair> score_pairs(const model::Model& model, const TextPipeline& pipeline,
                                    std::span<const std::string> sources, std::span<const std::string> targets,
                                    const ScoreOptions& options) {
  check(sources.size() == targets.size(), "{} sources and {} targets", sources.size(), targets.size());
  check<UsageError>(options.batch > 0, "a batch of {} sentences", options.batch);
  const Readers readers(pipeline, options.pretokenized);
  const Index most = model.decoder().max_source_length();
  std::vector<ScoredPair> results(sources.size());
  std::vector<TokenIds> source_sides(sources.size()), target_sides(sources.size());
  ThreadPool pool(options.threads);
  parallel_for(pool, sources.size(), [&](int /*worker*/, std::size_t i) {
    ScoredPair& pair = results[i];
    TokenIds &source = source_sides[i], &target = target_sides[i];
    source = encode(*readers.source, pipeline.source(), sources[i]);
    target = encode(*readers.target, pipeline.target(), targets[i]);
    const auto s = static_cast<Index>(source.ids.size()), t = static_cast<Index>(target.ids.size());
    pair.too_long = s > options.max_length || t > options.max_length || (most > 0 && s > most);
    pair.unknown = static_cast<std::size_t>(std::ranges::count(target.ids, pipeline.target().special().unk));
    pair.attention = {.source = std::move(source.tokens), .target = std::move(target.tokens)};
    pair.attention.source.push_back(end_token(pipeline.source(), sources[i]));
    pair.attention.target.push_back(end_token(pipeline.target(), targets[i]));
    pair.attention.source_end = pair.attention.target_end = true;
  });
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!results[i].too_long) order.push_back(i);
  const std::size_t all = order.size();
  const auto parts = parts_of(std::move(order), source_sides, target_sides, options.batch);
  std::deque<autograd::Tape> tapes;
  for (int worker = 0; worker < pool.size(); ++worker) tapes.emplace_back(model.parameters(), nullptr);
  std::mutex reporting;
  std::size_t done = 0;
  parallel_for(pool, parts.size(), [&](int worker, std::size_t k) {
    score_part(model, options, parts[k], source_sides, target_sides, results, tapes[static_cast<std::size_t>(worker)]);
    if (!options.on_progress) return;
    const std::lock_guard lock(reporting);
    options.on_progress(done += parts[k].size(), all);
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
