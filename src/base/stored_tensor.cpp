// Types and values of stored tensors.
#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>

#include "base/error.h"
#include "base/safetensors.h"
#include "base/utf8.h"

namespace heed::inline base {
namespace {

struct TypeInfo {
  std::string_view name;
  std::size_t size;
};

// In the order of StoredType.
constexpr TypeInfo kTypes[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8},
                               {"I32", 4}, {"I16", 2}, {"I8", 1},  {"U8", 1},   {"BOOL", 1}};

std::string shape_text(std::span<const Index> shape) {
  if (shape.size() > 16) return fmt::format("[{} dimensions]", shape.size());
  return fmt::format("[{}]", fmt::join(shape, ","));
}

template <class T>
constexpr StoredType stored_type_of() {
  if constexpr (std::same_as<T, double>) return StoredType::f64;
  if constexpr (std::same_as<T, float>) return StoredType::f32;
  if constexpr (std::same_as<T, std::int64_t>) return StoredType::i64;
}

template <class T>
T read_at(const std::byte* data, Index index) {
  T value;
  std::memcpy(&value, data + index * static_cast<Index>(sizeof value), sizeof value);
  return value;
}

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float from_f16(std::uint16_t bits) {
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  if (exponent == 0x1f) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
}

// Calls visit(i, value) for each element until it returns false; does nothing if the type is not a floating-point type.
template <class Visit>
void for_each_float(const StoredTensor& tensor, Visit visit) {
  const std::byte* data = tensor.data.data();
  const auto run = [&](auto value_at) {
    for (Index i = 0; i < tensor.elements(); ++i)
      if (!visit(i, value_at(i))) return;
  };
  switch (tensor.type) {
    case StoredType::f64:
      return run([=](Index i) { return read_at<double>(data, i); });
    case StoredType::f32:
      return run([=](Index i) { return read_at<float>(data, i); });
    case StoredType::f16:
      return run([=](Index i) { return from_f16(read_at<std::uint16_t>(data, i)); });
    case StoredType::bf16:
      return run([=](Index i) { return from_bf16(read_at<std::uint16_t>(data, i)); });
    default:
      return;
  }
}

// Whether every f32 is finite. Checks two at a time without a branch, so that memory bandwidth is the limit: adding one
// to an exponent carries into the sign bit only if all its bits are ones, which means infinite or NaN.
bool all_finite(std::span<const std::byte> data) {
  constexpr std::uint64_t kExponents = 0x7f8000007f800000, kOnes = 0x0080000000800000, kSigns = 0x8000000080000000;
  std::uint64_t carried = 0, pair = 0;
  std::size_t at = 0;
  for (; at + sizeof(pair) <= data.size(); at += sizeof(pair)) {
    std::memcpy(&pair, data.data() + at, sizeof(pair));
    carried |= (pair & kExponents) + kOnes;
  }
  pair = 0;
  std::memcpy(&pair, data.data() + at, data.size() - at);
  carried |= (pair & kExponents) + kOnes;
  return (carried & kSigns) == 0;
}

}  // namespace

std::string_view name_of(StoredType type) {
  return kTypes[static_cast<std::size_t>(type)].name;
}

std::size_t size_of(StoredType type) {
  return kTypes[static_cast<std::size_t>(type)].size;
}

std::string StoredTensor::shape_string() const {
  return shape_text(shape);
}

void StoredTensor::expect_shape(std::span<const Index> expected) const {
  if (!std::ranges::equal(shape, expected))
    throw InputError("'{}': the tensor {} has shape {}, expected {}", file, in_quotes(name), shape_string(),
                     shape_text(expected));
}

template <class T>
void StoredTensor::copy_to(std::span<T> to) const {
  if (type != stored_type_of<T>())
    throw InputError("'{}': the tensor {} holds {}, expected {}", file, in_quotes(name), name_of(type),
                     name_of(stored_type_of<T>()));
  check(to.size_bytes() == data.size(), "the tensor {} has {} elements, but there is room for {}", in_quotes(name),
        elements(), to.size());
  if (!data.empty()) std::memcpy(to.data(), data.data(), data.size());
}

template void StoredTensor::copy_to(std::span<float>) const;
template void StoredTensor::copy_to(std::span<double>) const;
template void StoredTensor::copy_to(std::span<std::int64_t>) const;

void StoredTensor::convert_to(std::span<float> to) const {
  if (type > StoredType::bf16)
    throw InputError("'{}': the tensor {} holds {}, expected floating-point numbers", file, in_quotes(name),
                     name_of(type));
  check(static_cast<Index>(to.size()) == elements(), "the tensor {} has {} elements, but there is room for {}",
        in_quotes(name), elements(), to.size());
  if (type == StoredType::f32) return copy_to(to);
  for_each_float(*this, [&](Index i, auto value) {
    to[static_cast<std::size_t>(i)] = static_cast<float>(value);
    return true;
  });
}

std::optional<NonFinite> find_non_finite(const StoredTensor& tensor) {
  std::optional<NonFinite> found;
  if (tensor.type == StoredType::f32 && all_finite(tensor.data)) return found;
  for_each_float(tensor, [&](Index i, auto value) {
    if (std::isfinite(value)) return true;
    found = NonFinite{tensor.name, i, value};
    return false;
  });
  return found;
}

std::optional<NonFinite> find_non_finite(std::span<const StoredTensor> tensors) {
  for (const StoredTensor& tensor : tensors)
    if (auto found = find_non_finite(tensor)) return found;
  return std::nullopt;
}

}  // namespace heed::base
