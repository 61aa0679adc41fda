#include "translate/sentence_cache.h"

#include <fmt/format.h>

namespace heed::translate {
namespace {

std::size_t bytes_of(std::span<const text::Token> tokens) {
  std::size_t bytes = 0;
  for (const text::Token& token : tokens) bytes += sizeof token + token.text.size();
  return bytes;
}

std::size_t bytes_of(const LineResult& result) {
  std::size_t bytes = sizeof result;
  for (const Translation& t : result.translations) {
    bytes += sizeof t + t.text.size() + bytes_of(t.attention.source) + bytes_of(t.attention.target);
    bytes += sizeof(float) * (t.attention.weights.size() + t.probabilities.size());
    bytes += sizeof(TermSpan) * t.terms.size() + sizeof(KeptSpan) * t.kept.size();
  }
  for (const Warning& warning : result.warnings) bytes += sizeof warning + warning.text.size();
  for (const LineResult& chunk : result.chunks) bytes += bytes_of(chunk);
  return bytes;
}

// Prefixes, targets and terms are seldom the same twice, and a trace is large.
bool is_cacheable(const TranslateRequest& request, const TranslateOptions& options) {
  return request.prefix.empty() && !request.target && request.terms.empty() && options.search.trace == 0 &&
         options.unknown.dictionary == nullptr;
}

// Everything that a translation depends on.
std::string make_key(std::string_view model, const TranslateOptions& o, std::string_view text) {
  const search::SearchOptions& s = o.search;
  return fmt::format("{}\n{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}\n{}", model, s.beam, s.nbest,
                     s.length_normalization, s.word_reward, s.coverage, s.no_repeat, s.sample, s.temperature, s.top_k,
                     s.top_p, s.seed, s.attention, o.length_ratio, o.length_extra, o.max_source_length,
                     o.unknown.replace, o.unknown.only_names, o.warnings, o.stop_repetition, s.shortlist, text);
}

}  // namespace

std::optional<LineResult> SentenceCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(key);
  if (found == index_.end()) {
    ++statistics_.misses;
    return {};
  }
  ++statistics_.hits;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->result;
}

void SentenceCache::add(std::string key, const LineResult& result) {
  constexpr std::size_t kOverhead = 128;  // per entry of the list and the table
  const std::size_t bytes = kOverhead + key.size() + bytes_of(result);
  const std::lock_guard lock(mutex_);
  if (bytes > max_bytes_ || index_.contains(key)) return;
  while (statistics_.bytes + bytes > max_bytes_) {
    statistics_.bytes -= entries_.back().bytes;
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
  entries_.push_front({std::move(key), result, bytes});
  index_.emplace(entries_.front().key, entries_.begin());
  statistics_.bytes += bytes;
}

SentenceCache::Statistics SentenceCache::statistics() const {
  const std::lock_guard lock(mutex_);
  Statistics now = statistics_;
  now.entries = entries_.size();
  return now;
}

std::vector<LineResult> CachedTranslator::translate(std::span<const TranslateRequest> requests,
                                                    const TranslateOptions& options) {
  if (cache_ == nullptr) return translator_.translate(requests, options);
  std::vector<LineResult> results(requests.size());
  std::vector<std::string> keys(requests.size());  // empty: not cached
  std::vector<TranslateRequest> missing;
  std::vector<std::size_t> indices;  // of the missing ones
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const TranslateOptions& own = requests[i].options != nullptr ? *requests[i].options : options;
    if (is_cacheable(requests[i], own)) keys[i] = make_key(model_, own, requests[i].text);
    if (!keys[i].empty())
      if (std::optional<LineResult> found = cache_->find(keys[i])) {
        results[i] = std::move(*found);
        if (requests[i].on_partial != nullptr) (*requests[i].on_partial)(0, results[i].best().text);
        continue;
      }
    missing.push_back(requests[i]);
    indices.push_back(i);
  }
  std::vector<LineResult> fresh = translator_.translate(missing, options);
  for (std::size_t k = 0; k < fresh.size(); ++k) {
    const std::size_t i = indices[k];
    if (!keys[i].empty() && fresh[k].done()) cache_->add(std::move(keys[i]), fresh[k]);
    results[i] = std::move(fresh[k]);
  }
  return results;
}

}  // namespace heed::translate
