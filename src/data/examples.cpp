#include "data/examples.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/files.h"

namespace heed::data {

ExampleWriter::ExampleWriter(const std::string& scratch_directory) {
  if (!scratch_directory.empty()) store_.file_ = std::make_unique<ScratchFile>(scratch_directory);
}

void ExampleWriter::add(Ids source, Ids target) {
  check(!source.empty() && !target.empty(), "example {} has an empty side", size());
  check(source.size() <= std::numeric_limits<std::uint32_t>::max(), "example {} has {} tokens", size(), source.size());
  for (const Ids ids : {source, target}) {
    check(std::ranges::all_of(ids, [](text::TokenId id) { return id >= 0; }), "example {} has a negative id", size());
    if (store_.file_)
      store_.file_->write(std::as_bytes(ids));
    else
      store_.in_memory_.insert(store_.in_memory_.end(), ids.begin(), ids.end());
  }
  store_.begins_.push_back(store_.begins_.back() + source.size() + target.size());
  store_.source_lengths_.push_back(static_cast<std::uint32_t>(source.size()));
  store_.source_tokens_ += static_cast<std::int64_t>(source.size());
}

ExampleStore ExampleWriter::finish() {
  if (store_.file_)
    store_.ids_ = {reinterpret_cast<const text::TokenId*>(store_.file_->map().data()), store_.begins_.back()};
  else
    store_.ids_ = store_.in_memory_;
  return std::move(store_);
}

void ExampleStore::release_before(std::size_t i) const {
  if (file_) release_pages(std::as_bytes(ids_.first(begins_[i])));
}

}  // namespace heed::data
