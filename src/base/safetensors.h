// The safetensors format: an 8-byte header length (little-endian), a JSON header, the tensors' bytes.
//
// The reader trusts nothing: every length is checked against the remaining bytes before it is used for an allocation,
// the tensors must cover the data without overlaps or gaps, and anything wrong is an InputError with the path. Tensors
// are views into the file and live as long as the Safetensors object (or the bytes it was constructed from). Reading is
// thread-safe. If another program truncates the file while it is open, reading it kills the process (SIGBUS).
//
// heed's own files have a checksum, the metadata value `heed.checksum`. It is the first key of the header, so bytes 8
// to 41 of the file are exactly
//     {"__metadata__":{"heed.checksum":"
// and bytes 42 to 57 are the 16 lower-case hexadecimal digits of XXH64 (seed 0) over the whole file, length field and
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

// Keys and values in the order of the file.
using Metadata = std::vector<std::pair<std::string, std::string>>;
// The value of a key, or null.
const std::string* find_value(const Metadata& metadata, std::string_view key);

inline constexpr std::string_view kChecksumKey = "heed.checksum";

// A row-major tensor that was read from a file or is to be written. Owns its name and shape, not its data.
struct StoredTensor {
  std::string name;
  StoredType type = StoredType::f32;
  std::vector<Index> shape;         // empty: a single number
  std::span<const std::byte> data;  // not aligned: copy it, never cast it
  std::string_view file = {};       // the path, for messages; set by the reader

  Index elements() const { return static_cast<Index>(data.size() / size_of(type)); }
  // "[3,4]"
  std::string shape_string() const;

  // InputError, with both shapes, unless the tensor has this shape.
  void expect_shape(std::span<const Index> expected) const;
  // Copies all elements to `to`, which must have exactly as many. T is float, double or std::int64_t; InputError if the
  // tensor has another type.
  template <class T>
  void copy_to(std::span<T> to) const;
  template <class T>
  std::vector<T> values() const {
    std::vector<T> result(static_cast<std::size_t>(elements()));
    copy_to(std::span(result));
    return result;
  }
  // Copies F64, F32, F16 or BF16 elements, converted to float. An F64 out of float's range becomes infinite.
  void convert_to(std::span<float> to) const;
};

struct SafetensorsOptions {
  bool verify_checksum = false;  // InputError unless the file is one of heed's own and undamaged
  // What was expected, for the message if the file contains text.
  std::string_view expected = "a model is a .safetensors file or the directory of a training run";
};

class Safetensors {
 public:
  using Options = SafetensorsOptions;

  explicit Safetensors(const std::string& path, Options options = {});
  // Reads from bytes, which must outlive the object; messages use `name` as the path.
  Safetensors(std::span<const std::byte> bytes, std::string name, Options options = {});

  const std::string& name() const { return *name_; }
  std::size_t size() const { return bytes_.size(); }
  // A message for the user if the file is damaged or not one of heed's own; otherwise nothing.
  std::optional<std::string> find_damage() const;
  const Metadata& metadata() const { return metadata_; }
  // The value of a metadata key, or null.
  const std::string* find_metadata(std::string_view key) const { return find_value(metadata_, key); }

  // The tensors in the order of the header.
  std::span<const StoredTensor> tensors() const { return tensors_; }
  // The tensor of that name, or null.
  const StoredTensor* find(std::string_view name) const;
  // The tensor of that name; InputError if there is none.
  const StoredTensor& tensor(std::string_view name) const;
  // InputError if another program has written to the file since it was opened. (Replacing it by renaming, as heed does,
  // leaves the opened file unchanged.)
  void check_unchanged() const;
  // Releases the memory of a part of a tensor's data; reading that part later reads the file again.
  void release(std::span<const std::byte> data) const;

 private:
  void load(Options options);

  std::unique_ptr<const MappedFile> mapped_;
  std::span<const std::byte> bytes_;
  std::unique_ptr<const std::string> name_;  // on the heap: the tensors refer to it, even after a move
  Metadata metadata_;
  std::vector<StoredTensor> tensors_;
};

// Writes a complete file or none (AtomicFile). The bytes depend only on the arguments: metadata first, then the tensors
// in their order; the data begins at a multiple of 64 and is not copied. With `checksum` the file gets a
// `heed.checksum`; a value for it in `metadata` is ignored, so that metadata can be written back as it was read.
// ShapeError if a tensor's shape does not fit its bytes or a name occurs twice, InputError if names or metadata are not
// UTF-8 or the header would exceed 100 MB.
void write_safetensors(const std::string& path, const Metadata& metadata, std::span<const StoredTensor> tensors,
                       bool checksum = true);

// A number that is NaN or infinite.
struct NonFinite {
  std::string tensor;
  Index index;  // counted from 0, row-major
  double value;
};

// The first such number of a tensor of any floating-point type.
std::optional<NonFinite> find_non_finite(const StoredTensor& tensor);
std::optional<NonFinite> find_non_finite(std::span<const StoredTensor> tensors);

}  // namespace heed::base
