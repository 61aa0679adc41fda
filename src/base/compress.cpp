#include "base/compress.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cstdint>

#include "base/error.h"

namespace heed::inline base {

namespace {

constexpr std::size_t kCompressBuffer = 1 << 16;

[[noreturn]] void fail_compressing() {
  throw InputError("cannot compress: out of memory; choose an output file that does not end in .gz, .zst or .xz");
}

class GzipCompressor : public Compressor {
 public:
  GzipCompressor() {
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      fail_compressing();
  }
  ~GzipCompressor() override { deflateEnd(&stream_); }

  void run(std::string_view in, End end, std::string& out) override {
    constexpr int kModes[] = {Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH};
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&stream_, kModes[static_cast<int>(end)]);
      out.append(buffer_.data(), buffer_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

 private:
  z_stream stream_{};
  std::array<char, kCompressBuffer> buffer_;
};

class ZstdCompressor : public Compressor {
 public:
  ZstdCompressor() : stream_(ZSTD_createCStream()) {
    if (stream_ == nullptr) fail_compressing();
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdCompressor() override { ZSTD_freeCStream(stream_); }

  void run(std::string_view in, End end, std::string& out) override {
    constexpr ZSTD_EndDirective kModes[] = {ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end};
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer output{buffer_.data(), buffer_.size(), 0};
      left = ZSTD_compressStream2(stream_, &output, &input, kModes[static_cast<int>(end)]);
      if (ZSTD_isError(left)) fail_compressing();
      out.append(buffer_.data(), output.pos);
    } while (end == End::more ? input.pos < input.size : left > 0);
  }

 private:
  ZSTD_CStream* stream_;
  std::array<char, kCompressBuffer> buffer_;
};

class XzCompressor : public Compressor {
 public:
  XzCompressor() {
    if (lzma_easy_encoder(&stream_, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) != LZMA_OK) fail_compressing();
  }
  ~XzCompressor() override { lzma_end(&stream_); }

  void run(std::string_view in, End end, std::string& out) override {
    constexpr lzma_action kModes[] = {LZMA_RUN, LZMA_SYNC_FLUSH, LZMA_FINISH};
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    if (end == End::more && in.empty()) return;  // to lzma an error
    lzma_ret status = LZMA_OK;
    do {
      stream_.next_out = buffer_.data();
      stream_.avail_out = buffer_.size();
      status = lzma_code(&stream_, kModes[static_cast<int>(end)]);
      if (status != LZMA_OK && status != LZMA_STREAM_END) fail_compressing();
      out.append(reinterpret_cast<const char*>(buffer_.data()), buffer_.size() - stream_.avail_out);
    } while (status != LZMA_STREAM_END && (end == End::more ? stream_.avail_in > 0 : true));
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  std::array<std::uint8_t, kCompressBuffer> buffer_;
};

}  // namespace

std::unique_ptr<Compressor> make_compressor(std::string_view path) {
  if (path.ends_with(".gz")) return std::make_unique<GzipCompressor>();
  if (path.ends_with(".zst")) return std::make_unique<ZstdCompressor>();
  if (path.ends_with(".xz")) return std::make_unique<XzCompressor>();
  return nullptr;
}

std::string compress_zstd(std::string_view text) {
  std::string packed;
  ZstdCompressor().run(text, Compressor::End::finish, packed);
  return packed;
}

}  // namespace heed::base
