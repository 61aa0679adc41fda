// Compression to gzip, zstd and xz, chosen by the ending of a file name, one buffer at a time. The counterpart of
// base/decompress.h. An object is used by one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace heed::inline base {

class Compressor {
 public:
  // more: keep bytes back for a better ratio; flush: everything so far can be decompressed; finish: the data ends here.
  enum class End { more, flush, finish };

  virtual ~Compressor() = default;
  // Compresses `in` and appends what is ready to `out`. InputError if memory runs out.
  virtual void run(std::string_view in, End end, std::string& out) = 0;
};

// The compressor for a file of this name: .gz, .zst or .xz; null for any other.
std::unique_ptr<Compressor> make_compressor(std::string_view path);

// A complete file of the format zstd.
std::string compress_zstd(std::string_view text);

}  // namespace heed::base
