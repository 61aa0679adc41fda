#include "base/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <unordered_set>

#include "base/checksum.h"
#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"

namespace heed::inline base {

namespace {

constexpr std::size_t kLengthField = 8;
constexpr std::size_t kMaxHeader = 100'000'000;
constexpr std::size_t kAlignment = 64;
constexpr std::string_view kMetadataName = "__metadata__";
constexpr std::string_view kChecksumPrefix = R"({"__metadata__":{"heed.checksum":")";
constexpr std::size_t kDigestAt = kLengthField + kChecksumPrefix.size();
constexpr std::string_view kNoDigest = "0000000000000000";
constexpr std::string_view kGetAgain = "; copy or download it again";

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian and copied as it is");

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The size of a tensor in bytes, or nothing if it overflows.
std::optional<std::uint64_t> byte_count(std::span<const Index> shape, StoredType type) {
  std::uint64_t bytes = size_of(type);
  for (const Index size : shape)
    if (size < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes)) return std::nullopt;
  return bytes;
}

constexpr std::string_view kText = ": it looks like a text file";

// What a file that is not a safetensors file probably is, and what to do about it; empty if unknown.
std::string_view guess_kind(std::string_view text) {
  if (text.starts_with("PK\3\4") || (text.starts_with('\x80') && text.size() > 1 && text[1] >= 2 && text[1] <= 5))
    return ": it looks like a PyTorch checkpoint (a pickle); save its state dict with safetensors.torch.save_file";
  if (text.starts_with("\x1f\x8b")) return ": it is gzip-compressed; decompress it first";
  if (text.starts_with("GGUF")) return ": it is a GGUF file; save the tensors as safetensors";
  if (text.starts_with("\x93NUMPY")) return ": it is a NumPy array; save the tensors as safetensors";
  if (text.starts_with("version https://git-lfs")) return ": it is a Git LFS pointer; fetch the file itself";
  const std::string_view head = text.substr(0, 4096);
  const auto control = [](unsigned char c) { return c < 0x20 && c != '\t' && c != '\n' && c != '\r'; };
  if (std::ranges::none_of(head, control) && is_valid_utf8(head.substr(0, head.find_last_of(" \n")))) return kText;
  return "";
}

// The length of the header, which is checked to lie within the file.
std::size_t checked_header_size(std::span<const std::byte> bytes, std::string_view file, std::string_view expected) {
  const std::string_view text = text_of(bytes);
  if (text.empty()) throw InputError("'{}' is empty, not a safetensors file{}", file, kGetAgain);
  const bool opens = text.size() > kLengthField && text[kLengthField] == '{';
  if (const auto kind = guess_kind(text); !opens && !kind.empty())
    throw InputError("'{}' is not a safetensors file{}{}", file, kind,
                     kind == kText ? fmt::format("; {}", expected) : "");
  if (text.size() < kLengthField)
    throw InputError("'{}' is truncated, or not a safetensors file: it has only {} bytes{}", file, text.size(),
                     kGetAgain);
  std::uint64_t size = 0;
  std::memcpy(&size, text.data(), sizeof size);
  const std::size_t left = text.size() - kLengthField;
  if (size > kMaxHeader) throw InputError("'{}' is not a safetensors file, or it is damaged{}", file, kGetAgain);
  if (size > left)
    throw InputError(
        "'{}' is truncated, or not a safetensors file: its header should have {} bytes, but only {} follow{}", file,
        size, left, kGetAgain);
  if (size < 2 || !opens)
    throw InputError("'{}' is not a safetensors file, or it is damaged: its header does not begin with '{{'{}", file,
                     kGetAgain);
  return size;
}

struct Header {
  Metadata metadata;
  std::vector<StoredTensor> tensors;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // begin and end of each tensor's bytes
  std::uint64_t data_size = 0;
};

class HeaderParser {
 public:
  explicit HeaderParser(std::string_view file) : file_(file) {}

  Header parse(std::string_view text) {
    Json json;
    try {
      json = parse_json(text, "its header");
    } catch (const InputError& error) {
      throw InputError("'{}' is damaged; copy or download it again ({})", file_, error.what());
    }
    for (const auto& [name, value] : json.get_ref<const Json::object_t&>())
      if (name == kMetadataName)
        add_metadata(value);
      else
        add_tensor(name, value);
    check_coverage();
    return std::move(header_);
  }

 private:
  void add_metadata(const Json& json) {
    if (!json.is_object()) throw InputError("'{}' is damaged: its metadata is not a JSON object", file_);
    for (const auto& [key, value] : json.get_ref<const Json::object_t&>()) {
      if (!value.is_string())
        throw InputError("'{}' is damaged: its metadata {} is not a string", file_, in_quotes(key));
      header_.metadata.emplace_back(key, value.get_ref<const std::string&>());
    }
  }

  void add_tensor(const std::string& name, const Json& json) {
    if (!json.is_object()) fail(name, "is not described by a JSON object");
    const auto type = json.find("dtype");
    const auto shape = json.find("shape");
    const auto offsets = json.find("data_offsets");
    if (json.size() != 3 || type == json.end() || shape == json.end() || offsets == json.end())
      fail(name, "must have dtype, shape and data_offsets, and nothing else");
    StoredTensor tensor{
        .name = name, .type = parse_type(name, *type), .shape = parse_integers(name, *shape), .data = {}};
    const std::vector<Index> range = parse_integers(name, *offsets);
    if (range.size() != 2 || range[0] > range[1]) fail(name, "has data_offsets that are not a begin and an end");
    const auto begin = static_cast<std::uint64_t>(range[0]);
    const auto end = static_cast<std::uint64_t>(range[1]);
    const auto bytes = byte_count(tensor.shape, tensor.type);
    if (!bytes) fail(name, fmt::format("has a shape {} that does not fit into memory", tensor.shape_string()));
    if (*bytes != end - begin)
      fail(name, fmt::format("has shape {} and type {}, which takes {} bytes, but its data_offsets cover {}",
                             tensor.shape_string(), name_of(tensor.type), *bytes, end - begin));
    header_.tensors.push_back(std::move(tensor));
    header_.ranges.emplace_back(begin, end);
  }

  StoredType parse_type(std::string_view name, const Json& json) const {
    if (!json.is_string()) fail(name, "has a dtype that is not a string");
    const auto& text = json.get_ref<const std::string&>();
    for (int type = 0; type <= static_cast<int>(StoredType::boolean); ++type)
      if (text == name_of(static_cast<StoredType>(type))) return static_cast<StoredType>(type);
    fail(name,
         fmt::format("has the dtype {}, which heed does not know (it knows F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL)",
                     in_quotes(text)));
  }

  std::vector<Index> parse_integers(std::string_view name, const Json& json) const {
    if (!json.is_array()) fail(name, "has a shape or data_offsets that is not a list");
    std::vector<Index> values;
    values.reserve(json.size());
    for (const Json& value : json) {
      if (!value.is_number_unsigned() || !std::in_range<Index>(value.get<std::uint64_t>()))
        fail(name, "has a shape or data_offsets with elements that are not integers from 0 to 2^63 - 1");
      values.push_back(value.get<Index>());
    }
    return values;
  }

  // Every byte of the data belongs to exactly one tensor.
  void check_coverage() {
    std::vector<std::size_t> order(header_.ranges.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](auto a, auto b) { return header_.ranges[a] < header_.ranges[b]; });
    std::uint64_t covered = 0;
    for (const std::size_t i : order) {
      const auto [begin, end] = header_.ranges[i];
      if (begin != covered)
        fail(header_.tensors[i].name,
             begin < covered
                 ? fmt::format("overlaps another one: it begins at byte {}, but {} are taken", begin, covered)
                 : fmt::format("leaves a gap before it: it begins at byte {}, but only {} are taken", begin, covered));
      covered = end;
    }
    header_.data_size = covered;
  }

  [[noreturn]] void fail(std::string_view name, std::string_view what) const {
    throw InputError("'{}' is damaged or not supported: its tensor {} {}", file_, in_quotes(name), what);
  }

  std::string_view file_;
  Header header_;
};

bool has_checksum(std::span<const std::byte> bytes) {
  return bytes.size() >= kDigestAt + kNoDigest.size() &&
         text_of(bytes).substr(kLengthField).starts_with(kChecksumPrefix);
}

}  // namespace

Safetensors::Safetensors(const std::string& path, Options options)
    : mapped_(std::make_unique<const MappedFile>(path)),
      bytes_(mapped_->bytes()),
      name_(std::make_unique<const std::string>(path)) {
  load(options);
}

Safetensors::Safetensors(std::span<const std::byte> bytes, std::string name, Options options)
    : bytes_(bytes), name_(std::make_unique<const std::string>(std::move(name))) {
  load(options);
}

std::optional<std::string> Safetensors::find_damage() const {
  if (!has_checksum(bytes_))
    return fmt::format(
        "'{}' has no checksum where heed writes it, so it is damaged or was not written by heed; use 'heed import' for "
        "files of other programs",
        *name_);
  Xxh64 hash;
  hash.update(bytes_.first(kDigestAt));
  hash.update(kNoDigest);
  hash.update(bytes_.subspan(kDigestAt + kNoDigest.size()));
  const std::string found = hex_digest(hash.digest());
  const std::string_view expected = text_of(bytes_).substr(kDigestAt, kNoDigest.size());
  if (found == expected) return std::nullopt;
  return fmt::format("'{}' is damaged: its checksum is '{}', expected {}{}", *name_, found, in_quotes(expected),
                     kGetAgain);
}

void Safetensors::load(Options options) {
  // A wrong checksum explains all other errors, except that a truncated file is reported as truncated.
  std::optional<std::string> damage;
  if (options.verify_checksum) {
    damage = find_damage();
    release(bytes_);
  }
  Header header;
  std::span<const std::byte> data;
  try {
    const std::size_t header_size = checked_header_size(bytes_, *name_, options.expected);
    data = bytes_.subspan(kLengthField + header_size);
    header = HeaderParser(*name_).parse(text_of(bytes_.subspan(kLengthField, header_size)));
  } catch (const InputError&) {
    if (damage && has_checksum(bytes_)) throw InputError("{}", *damage);
    throw;
  }
  if (header.data_size > data.size())
    throw InputError("'{}' is truncated: its tensors take {} bytes, but it has only {} of them{}", *name_,
                     header.data_size, data.size(), kGetAgain);
  if (damage) throw InputError("{}", *damage);
  if (header.data_size < data.size())
    throw InputError("'{}' is damaged: {} bytes follow its last tensor{}", *name_, data.size() - header.data_size,
                     kGetAgain);
  metadata_ = std::move(header.metadata);
  tensors_ = std::move(header.tensors);
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const auto [begin, end] = header.ranges[i];
    tensors_[i].data = data.subspan(begin, end - begin);
    tensors_[i].file = *name_;
  }
}

const std::string* find_value(const Metadata& metadata, std::string_view key) {
  const auto found = std::ranges::find(metadata, key, &Metadata::value_type::first);
  return found == metadata.end() ? nullptr : &found->second;
}

const StoredTensor* Safetensors::find(std::string_view name) const {
  const auto found = std::ranges::find_if(tensors_, [&](const auto& item) { return item.name == name; });
  return found == tensors_.end() ? nullptr : &*found;
}

const StoredTensor& Safetensors::tensor(std::string_view name) const {
  if (const StoredTensor* found = find(name)) return *found;
  throw InputError("'{}' has no tensor {}", *name_, in_quotes(name));
}

void Safetensors::check_unchanged() const {
  if (mapped_ && mapped_->changed())
    throw InputError(
        "'{}' was written to while it was in use, so results computed with it cannot be trusted; run again", *name_);
}

void Safetensors::release(std::span<const std::byte> data) const {
  if (mapped_) release_pages(data);
}

namespace {

void check_header_size(std::size_t size, std::string_view path) {
  if (size > kMaxHeader)
    throw InputError("cannot write '{}': its names and metadata (the vocabularies) take {} bytes, more than {}", path,
                     size, kMaxHeader);
}

std::string quoted(std::string_view text, std::string_view path) {
  check_header_size(text.size(), path);  // before the slow part
  if (!is_valid_utf8(text)) throw InputError("cannot write '{}': {} is not UTF-8", path, in_quotes(text));
  return dump_json(Json(text));
}

// {"__metadata__":{…},"name":{…},…} without padding; the digits of the checksum are '0'.
std::string header_text(std::string_view path, const Metadata& metadata, std::span<const StoredTensor> tensors,
                        bool checksum) {
  std::unordered_set<std::string_view> seen;
  std::string members = checksum ? fmt::format("\"{}\":\"{}\"", kChecksumKey, kNoDigest) : "";
  for (const auto& [key, value] : metadata) {
    check(seen.insert(key).second, "cannot write '{}': the metadata key {} occurs twice", path, in_quotes(key));
    if (key == kChecksumKey) continue;
    members += fmt::format("{}{}:{}", members.empty() ? "" : ",", quoted(key, path), quoted(value, path));
  }
  std::string text = members.empty() ? "{" : fmt::format("{{\"{}\":{{{}}}", kMetadataName, members);
  seen.clear();
  std::uint64_t at = 0;
  for (const StoredTensor& tensor : tensors) {
    check(tensor.name != kMetadataName && seen.insert(tensor.name).second,
          "cannot write '{}': the name {} is reserved or occurs twice", path, in_quotes(tensor.name));
    check(byte_count(tensor.shape, tensor.type) == tensor.data.size(),
          "cannot write '{}': the tensor {} has shape {} of {}, but {} bytes", path, in_quotes(tensor.name),
          tensor.shape_string(), name_of(tensor.type), tensor.data.size());
    text += fmt::format(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", text.size() > 1 ? "," : "",
                        quoted(tensor.name, path), name_of(tensor.type), fmt::join(tensor.shape, ","), at,
                        at + tensor.data.size());
    at += tensor.data.size();
  }
  return text + "}";
}

}  // namespace

void write_safetensors(const std::string& path, const Metadata& metadata, std::span<const StoredTensor> tensors,
                       bool checksum) {
  std::string text = header_text(path, metadata, tensors, checksum);
  text.append((kAlignment - (kLengthField + text.size()) % kAlignment) % kAlignment, ' ');
  check_header_size(text.size(), path);
  const std::uint64_t size = text.size();
  std::string head(kLengthField, '\0');
  std::memcpy(head.data(), &size, sizeof size);
  head += text;
  if (checksum) {
    Xxh64 hash;
    hash.update(head);
    for (const StoredTensor& tensor : tensors) hash.update(tensor.data);
    head.replace(kDigestAt, kNoDigest.size(), hex_digest(hash.digest()));
  }
  AtomicFile file(path);
  file.write(head);
  for (const StoredTensor& tensor : tensors) file.write(tensor.data);
  file.commit();
}

}  // namespace heed::base
