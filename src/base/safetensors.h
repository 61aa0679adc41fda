// Safetensors, read and written: 8 bytes header length (little-endian), a JSON header, the tensors' bytes.
//
// The reader trusts nothing: every length is checked against the bytes that remain before anything is allocated from
// it, tensors cover the data without overlap or hole, and whatever is wrong is an InputError with the path. Tensors are
// views into the file and live as long as the Safetensors object (or the bytes it was given). Reading is safe from
// several threads. A file that another program shortens while it is open ends the program (SIGBUS) when it is read.
//
// heed's own files carry a checksum, the metadata value `heed.checksum`. It is the first key of the header, so the file
// holds at bytes 8 to 41 exactly
//     {"__metadata__":{"heed.checksum":"
// and at bytes 42 to 57 the 16 lower-case hexadecimal digits of XXH64 (seed 0) over the whole file, length field and
// padding included, with these 16 digits replaced by '0'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/index.h"

namespace heed::inline base {

// F64, F32, F16, BF16, I64, I32, I16, I8, U8 and BOOL of the format.
enum class StoredType : std::uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean };

std::string_view name_of(StoredType type);
std::size_t size_of(StoredType type);

// Keys and values in file order.
using Metadata = std::vector<std::pair<std::string, std::string>>;
// The value of a key, or null.
const std::string* find_value(const Metadata& metadata, std::string_view key);

inline constexpr std::string_view kChecksumKey = "heed.checksum";

// A tensor of a file, row-major, as read or to be written. Owns its name and shape, not its data.
struct StoredTensor {
  std::string name;
  StoredType type = StoredType::f32;
  std::vector<Index> shape;         // empty: a single number
  std::span<const std::byte> data;  // may lie at any address: copy it out, never cast it
  std::string_view file = {};       // the path for messages; set by the reader

  Index elements() const { return static_cast<Index>(data.size() / size_of(type)); }
  // "[3,4]"
  std::string shape_string() const;

  // InputError, with both shapes, unless the tensor has this shape.
  void expect_shape(std::span<const Index> expected) const;
  // Copies every element to `to`, which must have room for exactly these. InputError unless the stored type is T's own:
  // float, double, std::int64_t or std::int32_t.
  template <class T>
  void copy_to(std::span<T> to) const;
  template <class T>
  std::vector<T> values() const;
  // The same for any of F64, F32, F16 and BF16, converted. F64 past the range of float becomes infinite.
  void convert_to(std::span<float> to) const;
};

struct SafetensorsOptions {
  // The file must be one of heed's own, every byte as it was written.
  bool verify_checksum = false;
};

class Safetensors {
 public:
  using Options = SafetensorsOptions;

  explicit Safetensors(const std::string& path, Options options = {});
  // Over bytes that outlive the object; `name` stands for the path in messages.
  Safetensors(std::span<const std::byte> bytes, std::string name, Options options = {});

  const std::string& name() const { return *name_; }
  std::size_t size() const { return bytes_.size(); }
  // Whether the file is not one of heed's own with every byte as it was written: a sentence that says so.
  std::optional<std::string> find_damage() const;
  const Metadata& metadata() const { return metadata_; }
  // The value of a metadata key, or null.
  const std::string* find_metadata(std::string_view key) const { return find_value(metadata_, key); }

  // In the order of the header.
  std::span<const StoredTensor> tensors() const { return tensors_; }
  // The tensor of that name, or null.
  const StoredTensor* find(std::string_view name) const;
  // The tensor of that name; InputError where the file has none.
  const StoredTensor& tensor(std::string_view name) const;
  // InputError where another program has written into the file since it was opened. (One that is replaced by renaming,
  // as heed replaces files, stays as it was.)
  void check_unchanged() const;
  // Releases the memory of a part of a tensor's data; reading that part later reads the file again.
  void release(std::span<const std::byte> data) const;

 private:
  void load(Options options);

  std::optional<MappedFile> mapped_;
  std::span<const std::byte> bytes_;
  std::unique_ptr<const std::string> name_;  // on the heap: the tensors refer to it, also after a move
  Metadata metadata_;
  std::vector<StoredTensor> tensors_;
};

// Writes a file whole or not at all (AtomicFile). The bytes are a function of the arguments alone: metadata first, then
// the tensors in the given order, data from a multiple of 64 on. No copy of the data is made. With `checksum` the file
// gets its `heed.checksum`; a value for it among the metadata is left out, so what was read can be written back.
// ShapeError where a tensor's shape does not fit its bytes or a name is there twice, InputError where names or metadata
// are not UTF-8 or the header would pass 100 MB.
void write_safetensors(const std::string& path, const Metadata& metadata, std::span<const StoredTensor> tensors,
                       bool checksum = true);

// A number that is NaN or infinite, where none may be.
struct NonFinite {
  std::string tensor;
  Index index;  // counted from 0, row-major
  double value;
};

// The first one of the tensor, of any floating-point type.
std::optional<NonFinite> find_non_finite(const StoredTensor& tensor);
std::optional<NonFinite> find_non_finite(std::span<const StoredTensor> tensors);

}  // namespace heed::base
