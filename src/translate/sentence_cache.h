// A cache of translated sentences. A translation depends only on model, options and sentence, so with the cache it is
// the same as without it, bit for bit.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "translate/sentence_translator.h"

namespace heed::translate {

// Results by key; the least recently used are dropped first. Thread-safe.
class SentenceCache {
 public:
  // Keys and results together take at most about this many bytes.
  explicit SentenceCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  std::optional<LineResult> find(const std::string& key);
  void add(std::string key, const LineResult& result);

  struct Statistics {
    std::size_t entries = 0, bytes = 0;
    std::uint64_t hits = 0, misses = 0;
  };
  Statistics statistics() const;

 private:
  struct Entry {
    std::string key;
    LineResult result;
    std::size_t bytes;
  };

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;  // guards everything below
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> index_;
  Statistics statistics_;
};

// A translator of sentences with a cache in front of it. As thread-safe as the translator.
class CachedTranslator final : public SentenceTranslator {
 public:
  // `model` distinguishes this model from others in the same cache. The translator must outlive this object. If the
  // cache is null, the translator is called directly.
  CachedTranslator(SentenceTranslator& translator, std::shared_ptr<SentenceCache> cache, std::string model)
      : translator_(translator), cache_(std::move(cache)), model_(std::move(model)) {}

  const TextPipeline& pipeline() const override { return translator_.pipeline(); }
  bool has_attention() const override { return translator_.has_attention(); }
  const std::optional<TrainingLines>& training_lines() const override { return translator_.training_lines(); }
  std::vector<LineResult> translate(std::span<const TranslateRequest> requests,
                                    const TranslateOptions& options) override;

 private:
  SentenceTranslator& translator_;
  const std::shared_ptr<SentenceCache> cache_;
  const std::string model_;
};

}  // namespace heed::translate
