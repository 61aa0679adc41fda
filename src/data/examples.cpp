#include "data/examples.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "base/error.h"

namespace heed {

namespace {

static_assert(std::endian::native == std::endian::little, "token caches are little-endian");

constexpr std::array<char, 8> kMagic = {'h', 'e', 'e', 'd', 't', 'o', 'k', '1'};

// The last bytes of a token cache.
struct Trailer {
  std::array<char, 8> magic = kMagic;
  std::uint64_t fingerprint = 0;
  std::uint64_t pairs = 0;
  std::uint64_t ids = 0;
  std::uint64_t source_ids = 0;
  std::uint64_t checksum = 0;  // XXH64 of every byte before this one
};
static_assert(sizeof(Trailer) == 48);
constexpr std::size_t kChecked = offsetof(Trailer, checksum);  // of the trailer

// The three arrays start at multiples of 8: an odd number of ids is followed by a zero.
std::size_t padded_ids(std::size_t ids) {
  return ids + ids % 2;
}

template <class T>
std::span<const T> view(const MappedFile& file, std::size_t offset, std::size_t count) {
  return {reinterpret_cast<const T*>(file.bytes().data() + offset), count};
}

std::uint64_t digest_of(std::span<const std::byte> mapped) {
  constexpr std::size_t kPiece = std::size_t{1} << 24;
  Xxh64 checksum;
  for (std::size_t at = 0; at < mapped.size(); at += kPiece) {
    const auto piece = mapped.subspan(at, std::min(kPiece, mapped.size() - at));
    checksum.update(piece);
    release_pages(piece);
  }
  return checksum.digest();
}

}  // namespace

ExampleWriter::ExampleWriter(const std::string& path, std::uint64_t fingerprint)
    : path_(path), arrays_(std::make_unique<ExampleStore::Arrays>()), fingerprint_(fingerprint) {
  if (!path.empty()) file_ = std::make_unique<AtomicFile>(path);
}

void ExampleWriter::write(std::span<const std::byte> bytes) {
  checksum_.update(bytes);
  file_->write(bytes);
}

void ExampleWriter::add(Ids source, Ids target) {
  check(!source.empty() && !target.empty(), "example {} has an empty side", size());
  check(source.size() <= std::numeric_limits<std::uint32_t>::max(), "example {} has {} tokens", size(), source.size());
  const auto good = [](TokenId id) { return id >= 0; };
  check(std::all_of(source.begin(), source.end(), good) && std::all_of(target.begin(), target.end(), good),
        "example {} has a negative id", size());
  if (file_) {
    write(std::as_bytes(source));
    write(std::as_bytes(target));
  } else {
    arrays_->ids.insert(arrays_->ids.end(), source.begin(), source.end());
    arrays_->ids.insert(arrays_->ids.end(), target.begin(), target.end());
  }
  arrays_->begins.push_back(arrays_->begins.back() + source.size() + target.size());
  arrays_->source_lengths.push_back(static_cast<std::uint32_t>(source.size()));
  source_tokens_ += static_cast<std::int64_t>(source.size());
}

ExampleStore ExampleWriter::finish() {
  if (!file_) {
    ExampleStore store;
    store.arrays_ = std::move(arrays_);
    store.ids_ = store.arrays_->ids;
    store.begins_ = store.arrays_->begins;
    store.source_lengths_ = store.arrays_->source_lengths;
    store.source_tokens_ = source_tokens_;
    store.fingerprint_ = fingerprint_;
    return store;
  }
  const std::uint64_t ids = arrays_->begins.back();
  const TokenId zero = 0;
  if (ids % 2 == 1) write(std::as_bytes(std::span(&zero, 1)));
  write(std::as_bytes(std::span(arrays_->begins)));
  write(std::as_bytes(std::span(arrays_->source_lengths)));
  Trailer trailer{.fingerprint = fingerprint_,
                  .pairs = size(),
                  .ids = ids,
                  .source_ids = static_cast<std::uint64_t>(source_tokens_)};
  checksum_.update(std::as_bytes(std::span(&trailer, 1)).first(kChecked));
  trailer.checksum = checksum_.digest();
  file_->write(std::as_bytes(std::span(&trailer, 1)));
  file_->commit();
  file_.reset();
  arrays_.reset();
  return ExampleStore::open(path_);
}

ExampleStore ExampleStore::open(const std::string& path) {
  ExampleStore store;
  store.file_ = std::make_unique<MappedFile>(path);
  const std::span<const std::byte> bytes = store.file_->bytes();
  Trailer trailer;
  check<InputError>(bytes.size() >= sizeof trailer, "'{}' is no token cache: it is too small; delete it", path);
  std::memcpy(&trailer, bytes.last(sizeof trailer).data(), sizeof trailer);
  check<InputError>(trailer.magic == kMagic, "'{}' is no token cache, or was cut off; delete it to have it made again",
                    path);
  // Bounds first, so that the sum below cannot wrap.
  const std::size_t most = bytes.size();
  const bool bounded = trailer.pairs < most && trailer.ids < most;
  const std::size_t index_at = padded_ids(trailer.ids) * sizeof(TokenId);
  const std::size_t lengths_at = index_at + (trailer.pairs + 1) * sizeof(std::uint64_t);
  const std::size_t end = lengths_at + trailer.pairs * sizeof(std::uint32_t);
  const bool fits = bounded && end + sizeof trailer == bytes.size();
  check<InputError>(fits && digest_of(bytes.first(bytes.size() - sizeof trailer + kChecked)) == trailer.checksum,
                    "the token cache '{}' is damaged; delete it to have it made again", path);
  store.ids_ = view<TokenId>(*store.file_, 0, trailer.ids);
  store.begins_ = view<std::uint64_t>(*store.file_, index_at, trailer.pairs + 1);
  store.source_lengths_ = view<std::uint32_t>(*store.file_, lengths_at, trailer.pairs);
  store.source_tokens_ = static_cast<std::int64_t>(trailer.source_ids);
  store.fingerprint_ = trailer.fingerprint;
  store.check_index(path);
  return store;
}

// A checksum is no proof against a file that was made to harm.
void ExampleStore::check_index(const std::string& path) const {
  bool good = begins_.front() == 0 && begins_.back() == ids_.size();
  std::uint64_t sources = 0;
  for (std::size_t i = 0; good && i < size(); ++i) {
    good = begins_[i + 1] > begins_[i] && source_lengths_[i] > 0 && source_lengths_[i] < begins_[i + 1] - begins_[i];
    sources += source_lengths_[i];
  }
  check<InputError>(good && sources == static_cast<std::uint64_t>(source_tokens_),
                    "the token cache '{}' has a bad index; delete it to have it made again", path);
}

void ExampleStore::release_before(std::size_t i) const {
  if (file_) release_pages(std::as_bytes(ids_.first(begins_[i])));
}

void ExampleStore::check_ids(std::int64_t source_words, std::int64_t target_words) const {
  const auto outside = [](Ids ids, std::int64_t words) {
    const auto found = std::find_if(ids.begin(), ids.end(), [&](TokenId id) { return id < 0 || id >= words; });
    return found == ids.end() ? TokenId{-1} : std::max(*found, TokenId{0});
  };
  for (std::size_t i = 0; i < size(); ++i) {
    const TokenId s = outside(source(i), source_words), t = outside(target(i), target_words);
    check<InputError>(s < 0 && t < 0, "example {} has id {}, but the vocabularies have {} and {} words", i,
                      std::max(s, t), source_words, target_words);
  }
}

}  // namespace heed
