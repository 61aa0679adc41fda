#include "model/dropout.h"

namespace heed::model {
namespace {

struct SiteKind {
  double DropoutConfig::*rate;
  bool whole_rows = false;
};

constexpr SiteKind kSites[] = {
    {&DropoutConfig::source_embedding},
    {&DropoutConfig::target_embedding},
    {&DropoutConfig::source_words, true},
    {&DropoutConfig::target_words, true},
    {&DropoutConfig::readout},
    {&DropoutConfig::layers},
    {&DropoutConfig::layers},
    {&DropoutConfig::recurrent},
    {&DropoutConfig::recurrent},
    {&DropoutConfig::recurrent},
};
constexpr auto kSiteCount = static_cast<std::uint32_t>(DropoutSite::count);
static_assert(std::size(kSites) == kSiteCount);

}  // namespace

BatchDropout::BatchDropout(Arena& arena, const DropoutConfig& rates, const TrainRandom* random, const Packing& packing)
    : rates_(&rates), random_(random), sentences_(packing.order.size()) {
  if (random != nullptr) row_keys_ = row_keys(arena, packing, random->sentence_keys);
}

autograd::Dropout BatchDropout::at(DropoutSite site, int layer) const {
  const auto index = static_cast<std::uint32_t>(site);
  const std::uint32_t stream =
      random_->update * kSiteCount * kMaxLayers + static_cast<std::uint32_t>(layer) * kSiteCount + index;
  return {.rate = rates_->*kSites[index].rate,
          .random = Random(random_->seed, Stream::dropout, stream),
          .whole_rows = kSites[index].whole_rows};
}

Var BatchDropout::operator()(Tape& tape, Var x, DropoutSite site, Index row, int layer) const {
  if (random_ == nullptr) return x;
  return dropout(tape, x, at(site, layer),
                 row_keys_.subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(x.rows())));
}

Var BatchDropout::state_mask(Tape& tape, DropoutSite site, int layer, Index hidden) const {
  if (random_ == nullptr) return {};
  // The first rows are the first words of all sentences, so their keys stand for the sentences.
  return dropout_mask(tape, hidden, at(site, layer), row_keys_.first(sentences_));
}

}  // namespace heed::model
