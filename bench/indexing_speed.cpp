#include "indexing_speed.h"

#include <algorithm>

#include "base/error.h"
#include "base/stopwatch.h"
#include "data/prepare.h"

namespace heed {

IndexingSpeed measure_indexing(const data::CorpusFiles& files, const text::Tokenizer& source,
                               const text::Tokenizer& target) {
  IndexingSpeed speed;
  const Stopwatch watch;
  const data::PrepareOptions options{.selection = {.keep_empty = true}};
  const data::Prepared prepared = prepare_corpus(files, source, target, {}, {}, false, options);
  speed.seconds = watch.seconds();
  speed.tokens = prepared.examples.source_tokens() + prepared.examples.target_tokens();

  data::PairReader reader(files);
  const text::LineEncoder source_encoder{&source, &prepared.source}, target_encoder{&target, &prepared.target};
  std::vector<text::TokenId> source_ids, target_ids;
  for (data::SentencePair pair; reader.next(pair);) {
    const auto i = static_cast<std::size_t>(speed.pairs++);
    source_encoder.encode(pair.source, source_ids);
    target_encoder.encode(pair.target, target_ids);
    check<InternalError>(i < prepared.examples.size() && std::ranges::equal(prepared.examples.source(i), source_ids) &&
                             std::ranges::equal(prepared.examples.target(i), target_ids),
                         "pair {} was not stored as it was read", speed.pairs);
  }
  speed.bytes = reader.bytes();
  return speed;
}

}  // namespace heed
