#include "data/prepare.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/parallel.h"
#include "data/batches.h"
#include "text/placeholders.h"

namespace heed::data {

namespace {

using Tokens = std::span<const text::Token>;
using OnTokens = std::function<void(Tokens source, Tokens target, double weight)>;

void add_weight(std::vector<float>& weights, double weight, std::size_t examples) {
  if (weight == 1 && weights.empty()) return;
  check<UsageError>(weight > 0 && weight <= kMaxWeight, "the weight {} is not above 0 and at most {}", weight,
                    kMaxWeight);
  weights.resize(examples, 1);
  weights.push_back(static_cast<float>(weight));
}

// Reads, tokenizes and selects pairs. The workers tokenize a chunk in parallel; the order of the pairs is kept.
class Pipeline {
 public:
  Pipeline(const CorpusFiles& files, const text::Tokenizer& source, const text::Tokenizer& target,
           const PrepareOptions& options)
      : reader_(files), source_(source), target_(target), options_(options), chunk_(kPairs) {
    if (!options.guides.path.empty()) guides_.emplace(options.guides);
  }

  void run(Prepared& prepared, const OnTokens& on_tokens) {
    const std::int64_t limit = options_.selection.pairs;
    while (const std::size_t count = fill()) {
      parallel_for(options_.pool != nullptr ? *options_.pool : own_pool_, count,
                   [&](int, std::size_t i) { tokenize(chunk_[i]); });
      for (std::size_t i = 0; i < count; ++i) {
        const Item& item = chunk_[i];
        prepared.tally.add(item.verdict);
        if (item.verdict == Verdict::kept) {
          on_tokens(item.source, item.target, item.pair.weight);
          add_weight(prepared.weights, item.pair.weight, static_cast<std::size_t>(prepared.tally.kept - 1));
          if (guides_)
            prepared.guides.add(
                guides_->guides(item.pair.number, item.pair.source, item.pair.target, item.source, item.target));
          if (options_.on_kept) options_.on_kept(item.pair);
        }
        if (limit == 0 || prepared.tally.kept < limit) continue;
        prepared.limited = i + 1 < count || fill() > 0;
        return finish(prepared);
      }
      if (options_.on_progress) options_.on_progress(reader_.pairs(), reader_.bytes());
    }
    if (guides_) guides_->check_lines(reader_.pairs());
    finish(prepared);
  }

 private:
  static constexpr std::size_t kPairs = 2048;
  static constexpr std::size_t kBytes = 1 << 20;

  struct Item {
    SentencePair pair;
    std::vector<text::Token> source, target;
    Verdict verdict = Verdict::kept;
  };

  std::size_t fill() {
    std::size_t count = 0, bytes = 0;
    while (count < kPairs && bytes < kBytes && reader_.next(chunk_[count].pair)) {
      if (!options_.selection.has(reader_.pairs() - 1)) continue;
      bytes += chunk_[count].pair.source.size() + chunk_[count].pair.target.size();
      ++count;
    }
    return count;
  }

  void tokenize(Item& item) const {
    const PairSelection& selection = options_.selection;
    item.verdict = Verdict::kept;
    if (!selection.source_prefixes.empty() || !selection.target_prefixes.empty())
      item.verdict = judge_prefixes(selection, options_.source_normalizer.apply(item.pair.source),
                                    options_.target_normalizer.apply(item.pair.target));
    if (item.verdict != Verdict::kept) return;
    if (options_.placeholders)
      text::mask_pair(item.pair.source, item.pair.target,
                      Random(0, Stream::placeholder, static_cast<std::uint32_t>(item.pair.number)));
    item.source = source_.tokenize(item.pair.source);
    item.target = target_.tokenize(item.pair.target);
    item.verdict = judge_words(selection, item.source.size(), item.target.size());
  }

  // Why no pair was selected: "3 with an empty side, 2 with more than 50 tokens on a side (raise data.max_length)".
  std::string reasons(const SelectionTally& tally) const {
    std::vector<std::string> list;
    if (tally.empty > 0) list.push_back(fmt::format("{} with an empty side", tally.empty));
    if (tally.too_long > 0)
      list.push_back(fmt::format("{} with more than {} tokens on a side (raise data.max_length)", tally.too_long,
                                 options_.selection.max_words));
    if (tally.other_prefix > 0) {
      std::vector<std::string> settings;
      if (!options_.selection.source_prefixes.empty()) settings.emplace_back("--set 'data.source_prefixes=[]'");
      if (!options_.selection.target_prefixes.empty()) settings.emplace_back("--set 'data.target_prefixes=[]'");
      list.push_back(fmt::format("{} without a matching prefix (allow any with {})", tally.other_prefix,
                                 fmt::join(settings, " ")));
    }
    if (tally.read == 0) list.emplace_back("all, by data.filters");
    return fmt::format("{}", fmt::join(list, ", "));
  }

  void finish(Prepared& prepared) const {
    const SelectionTally& tally = prepared.tally;
    check<InputError>(tally.kept > 0, "no pair of '{}' was selected; skipped: {}", reader_.name(Side::source),
                      reasons(tally));
    prepared.languages = reader_.languages();
    prepared.notes = reader_.notes();
    prepared.bad_source = reader_.bad_utf8(Side::source);
    prepared.bad_target = reader_.bad_utf8(Side::target);
  }

  PairReader reader_;
  const text::Tokenizer& source_;
  const text::Tokenizer& target_;
  const PrepareOptions& options_;
  std::optional<GuideReader> guides_;
  std::vector<Item> chunk_;
  ThreadPool own_pool_{1};  // no threads
};

// Distinct words with their counts, numbered in order of appearance.
class WordCounts {
 public:
  void number(Tokens tokens, double weight, std::vector<text::TokenId>& ids) {
    ids.clear();
    for (const text::Token& token : tokens) {
      auto found = ids_.find(token.text);
      if (found == ids_.end()) {
        check<InputError>(counts_.size() < kMaxWords,
                          "the corpus has more than {} distinct words, which heed cannot handle", kMaxWords);
        found = ids_.emplace(token.text, static_cast<text::TokenId>(counts_.size())).first;
        words_.push_back(found->first);
        counts_.push_back(0);
      }
      counts_[static_cast<std::size_t>(found->second)] += weight;
      ids.push_back(found->second);
    }
  }

  text::Vocabulary build(const text::Tokenizer& tokenizer, const text::VocabularyOptions& options) const {
    const std::vector<std::string> closed = tokenizer.closed_vocabulary();
    if (options.base == nullptr && !closed.empty()) return closed_vocabulary(closed, options.special);
    text::VocabularyBuilder builder;
    for (std::size_t i = 0; i < words_.size(); ++i) builder.add(words_[i], std::max(std::llround(counts_[i]), 1LL));
    return builder.build(options);
  }

  // By provisional id, the id in the vocabulary.
  std::vector<text::TokenId> final_ids(const text::Vocabulary& vocabulary) const {
    std::vector<text::TokenId> ids;
    ids.reserve(counts_.size());
    for (const std::string_view word : words_) ids.push_back(require_id(vocabulary, word));
    return ids;
  }

 private:
  static constexpr std::size_t kMaxWords = 100'000'000;

  text::WordMap<text::TokenId> ids_;
  std::vector<std::string_view> words_;  // the keys of ids_, by id
  std::vector<double> counts_;           // by id
};

// Replaces provisional ids by those of the vocabulary, and the last one by the end symbol; counts them.
void replace_ids(Ids provisional, const std::vector<text::TokenId>& table, text::TokenId end,
                 std::vector<text::TokenId>& ids, std::vector<std::int64_t>& counts) {
  ids.clear();
  for (const text::TokenId id : provisional.first(provisional.size() - 1))
    ids.push_back(table[static_cast<std::size_t>(id)]);
  ids.push_back(end);
  for (const text::TokenId id : ids) ++counts[static_cast<std::size_t>(id)];
}

}  // namespace

Prepared prepare_corpus(const CorpusFiles& files, const text::Tokenizer& source, const text::Tokenizer& target,
                        const text::VocabularyOptions& source_words, const text::VocabularyOptions& target_words,
                        bool shared, const PrepareOptions& options) {
  Prepared prepared;
  WordCounts source_counts, own_target_counts;
  WordCounts& target_counts = shared ? source_counts : own_target_counts;
  std::vector<text::TokenId> source_ids, target_ids;

  ExampleWriter provisional(options.scratch_directory);
  Pipeline pipeline(files, source, target, options);
  pipeline.run(prepared, [&](Tokens s, Tokens t, double weight) {
    source_counts.number(s, weight, source_ids);
    target_counts.number(t, weight, target_ids);
    source_ids.push_back(0);
    target_ids.push_back(0);
    provisional.add(source_ids, target_ids);
  });
  const ExampleStore words = provisional.finish();

  prepared.source = source_counts.build(source, source_words);
  prepared.target = shared ? prepared.source : target_counts.build(target, target_words);
  const std::vector<text::TokenId> source_table = source_counts.final_ids(prepared.source);
  const std::vector<text::TokenId> target_table = shared ? source_table : target_counts.final_ids(prepared.target);
  const text::TokenId source_end = end_symbol(prepared.source), target_end = end_symbol(prepared.target);
  constexpr std::size_t kPairsPerRelease = 100'000;
  prepared.source_counts.resize(static_cast<std::size_t>(prepared.source.size()));
  prepared.target_counts.resize(static_cast<std::size_t>(prepared.target.size()));
  ExampleWriter writer(options.scratch_directory);
  for (std::size_t i = 0; i < words.size(); ++i) {
    replace_ids(words.source(i), source_table, source_end, source_ids, prepared.source_counts);
    replace_ids(words.target(i), target_table, target_end, target_ids, prepared.target_counts);
    writer.add(source_ids, target_ids);
    if (i % kPairsPerRelease == 0) words.release_before(i);
  }
  prepared.examples = writer.finish();
  return prepared;
}

Prepared encode_corpus(const CorpusFiles& files, const text::LineEncoder& source, const text::LineEncoder& target,
                       const PrepareOptions& options) {
  Prepared prepared;
  std::vector<text::TokenId> source_ids, target_ids;
  ExampleWriter writer(options.scratch_directory);
  Pipeline pipeline(files, *source.tokenizer, *target.tokenizer, options);
  pipeline.run(prepared, [&](Tokens s, Tokens t, double) {
    encode_tokens(s, *source.vocabulary, source_ids);
    encode_tokens(t, *target.vocabulary, target_ids);
    writer.add(source_ids, target_ids);
  });
  prepared.examples = writer.finish();
  return prepared;
}

}  // namespace heed::data
