#include "base/deflate.h"

#include <zlib.h>

#include "base/error.h"

namespace heed::inline base {

std::uint32_t crc32_of(std::string_view content) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

bool inflate_bytes(std::string_view packed, std::string& content, std::size_t limit) {
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string chunk(1 << 16, '\0');
  int status = Z_OK;
  while (status == Z_OK && content.size() <= limit) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = ::inflate(&stream, Z_NO_FLUSH);
    content.append(chunk, 0, chunk.size() - stream.avail_out);
  }
  ::inflateEnd(&stream);
  return status == Z_STREAM_END && content.size() <= limit;
}

std::string deflate_bytes(std::string_view content) {
  z_stream stream{};
  check<InternalError>(
      ::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK,
      "zlib does not compress");
  std::string packed(::deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = ::deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  ::deflateEnd(&stream);
  check<InternalError>(status == Z_STREAM_END, "zlib does not compress");
  return packed;
}

}  // namespace heed::base
