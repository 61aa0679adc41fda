// Decompression of gzip, zstd and xz, recognized by the first bytes, one buffer at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace heed::inline base {

class Decompressor {
 public:
  struct Step {
    std::size_t used, made;  // bytes of `in` and of `out`
  };

  virtual ~Decompressor() = default;
  // Decompresses from `in` (`last`: nothing follows it) to `out`; InputError if the data is damaged. As the formats
  // allow, there may be several compressed streams in a row.
  virtual Step run(std::string_view in, std::span<char> out, bool last) = 0;
  // Whether the data may end here.
  virtual bool is_complete() const = 0;
  std::string_view format() const { return format_; }

 protected:
  // `name` is that of the file, for messages.
  Decompressor(std::string_view format, std::string name) : format_(format), name_(std::move(name)) {}
  [[noreturn]] void fail_damaged() const;
  [[noreturn]] void fail_memory() const;

 private:
  std::string_view format_;
  std::string name_;
};

// Whether more bytes could make `start` the signature of a format.
bool may_become_compressed(std::string_view start);
// The decompressor for a file that starts with these bytes; null if it is not compressed.
std::unique_ptr<Decompressor> make_decompressor(std::string_view start, const std::string& name);
// "a.tsv" for "a.tsv.gz".
std::string_view without_compression_suffix(std::string_view path);

}  // namespace heed::base
