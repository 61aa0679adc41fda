#include "base/decompress.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>

#include "base/error.h"

namespace heed::inline base {

namespace {

class Gzip : public Decompressor {
 public:
  explicit Gzip(const std::string& name) : Decompressor("gzip", name) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) fail_memory();
  }
  ~Gzip() override { inflateEnd(&stream_); }

  Step run(std::string_view in, std::span<char> out, bool /*last*/) override {
    if (complete_ && in.starts_with('\0')) return {std::min(in.find_first_not_of('\0'), in.size()), 0};  // padding
    if (in.empty()) return {0, 0};
    complete_ = false;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) fail_damaged();
    if (status == Z_STREAM_END) {
      complete_ = true;
      inflateReset(&stream_);
    }
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out};
  }
  bool is_complete() const override { return complete_; }

 private:
  z_stream stream_{};
  bool complete_ = false;
};

class Zstd : public Decompressor {
 public:
  explicit Zstd(const std::string& name) : Decompressor("zstd", name), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) fail_memory();
  }
  ~Zstd() override { ZSTD_freeDStream(stream_); }

  Step run(std::string_view in, std::span<char> out, bool /*last*/) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream_, &output, &input);
    if (ZSTD_isError(status)) fail_damaged();
    // If called at the end without input, zstd asks for the header of another frame.
    if (input.pos > 0 || output.pos > 0) complete_ = status == 0;
    return {input.pos, output.pos};
  }
  bool is_complete() const override { return complete_; }

 private:
  ZSTD_DStream* stream_;
  bool complete_ = false;
};

class Xz : public Decompressor {
 public:
  explicit Xz(const std::string& name) : Decompressor("xz", name) {
    constexpr std::uint64_t kMemory = std::uint64_t{512} << 20;
    if (lzma_stream_decoder(&stream_, kMemory, LZMA_CONCATENATED) != LZMA_OK) fail_memory();
  }
  ~Xz() override { lzma_end(&stream_); }

  Step run(std::string_view in, std::span<char> out, bool last) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret status = complete_ ? LZMA_STREAM_END : lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    if (status == LZMA_MEM_ERROR || status == LZMA_MEMLIMIT_ERROR) fail_memory();
    if (status != LZMA_OK && status != LZMA_STREAM_END && status != LZMA_BUF_ERROR) fail_damaged();
    complete_ = status == LZMA_STREAM_END;
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out};
  }
  bool is_complete() const override { return complete_; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool complete_ = false;
};

template <class Format>
std::unique_ptr<Decompressor> make_one(const std::string& name) {
  return std::make_unique<Format>(name);
}

struct CompressionKind {
  std::string_view suffix, signature;
  std::unique_ptr<Decompressor> (*make)(const std::string& name);
};
constexpr CompressionKind kCompressions[] = {
    {".gz", "\x1f\x8b", make_one<Gzip>},
    {".zst", "\x28\xb5\x2f\xfd", make_one<Zstd>},
    {".xz",
     {"\xfd"
      "7zXZ\0",
      6},
     make_one<Xz>},
};

}  // namespace

void Decompressor::fail_damaged() const {
  throw InputError("'{}' is damaged: its {} data is not valid; copy or download it again", name_, format_);
}

void Decompressor::fail_memory() const {
  throw InputError("cannot decompress '{}': out of memory; decompress it first", name_);
}

bool may_become_compressed(std::string_view start) {
  return std::ranges::any_of(kCompressions, [&](const CompressionKind& kind) {
    return start.size() < kind.signature.size() && kind.signature.starts_with(start);
  });
}

std::unique_ptr<Decompressor> make_decompressor(std::string_view start, const std::string& name) {
  for (const CompressionKind& kind : kCompressions)
    if (start.starts_with(kind.signature)) return kind.make(name);
  return nullptr;
}

std::string_view without_compression_suffix(std::string_view path) {
  for (const CompressionKind& kind : kCompressions)
    if (path.ends_with(kind.suffix)) return path.substr(0, path.size() - kind.suffix.size());
  return path;
}

}  // namespace heed::base
