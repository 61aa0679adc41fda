#include "text/subword_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"

namespace heed::text {
namespace {

constexpr std::size_t kLargestModel = std::size_t{256} << 20;
constexpr std::size_t kMostPieces = 2'000'000;
constexpr std::size_t kLongestPiece = 1000;        // bytes; SentencePiece recurses once per byte
constexpr std::size_t kMostNestedSymbols = 64;     // user-defined symbols, each a prefix of the next
constexpr std::size_t kLargestRules = 4 << 20;     // bytes
constexpr std::size_t kMostNestedRules = 32;       // rules, each with a left side that is a prefix of the next
constexpr std::size_t kLongestReplacement = 256;   // bytes
constexpr std::size_t kLargestSelfTest = 1 << 20;  // bytes; SentencePiece segments these texts when it loads
constexpr std::size_t kLongestSelfTest = 5000;

// Reads the fields of a protocol buffer message. Groups are not allowed: no SentencePiece model has one.
class Fields {
 public:
  enum class Wire { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  Fields(std::string_view message, std::string_view name) : left_(message), name_(name) {}

  // Reads the next field; false at the end.
  bool next() {
    if (left_.empty()) return false;
    const std::uint64_t tag = varint();
    expect(tag <= UINT32_MAX && tag >> 3 != 0);
    number_ = tag >> 3;
    wire_ = static_cast<Wire>(tag & 7);
    switch (wire_) {
      case Wire::varint:
        value_ = varint();
        break;
      case Wire::fixed64:
        take(8);
        break;
      case Wire::fixed32:
        take(4);
        break;
      case Wire::bytes:
        take(varint());
        break;
      default:
        expect(false);
    }
    return true;
  }
  std::uint64_t number() const { return number_; }
  // The value of the current field. InputError if it has another type.
  std::string_view bytes() const {
    expect(wire_ == Wire::bytes);
    return bytes_;
  }
  std::uint64_t integer() const {
    expect(wire_ == Wire::varint);
    return value_;
  }
  float real() const {
    expect(wire_ == Wire::fixed32);
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes_.data(), 4);
    return std::bit_cast<float>(bits);
  }

 private:
  void expect(bool holds) const { check<InputError>(holds, "{} is not a SentencePiece model, or is damaged", name_); }
  void take(std::uint64_t size) {
    expect(size <= left_.size());
    bytes_ = left_.substr(0, size);
    left_.remove_prefix(size);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      expect(!left_.empty());
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    expect(false);
    return 0;
  }

  std::string_view left_, name_, bytes_;
  Wire wire_ = Wire::varint;
  std::uint64_t number_ = 0, value_ = 0;
};

// Normalization rules: the size of a trie in bytes (32 bits), the trie, and the replacements, each terminated by NUL.
// The trie is a double array of Darts-clone. A unit is 32 bits: a leaf (bit 31 set) has a value; any other has a label
// (bits 0 to 7), whether a leaf follows (bit 8) and an offset (bits 10 to 31, times 256 if bit 9 is set). The node at
// index i has its leaf at `base` = i ^ offset and the child with label c at base ^ c.
class NormalizationRules {
 public:
  NormalizationRules(std::string_view bytes, std::string_view name) : name_(name) {
    check<InputError>(bytes.size() <= kLargestRules,
                      "{}: its normalization rules have {} bytes; at most {} are allowed", name, bytes.size(),
                      kLargestRules);
    std::uint32_t size = 0;
    expect(bytes.size() > sizeof(size));
    std::memcpy(&size, bytes.data(), sizeof(size));
    bytes.remove_prefix(sizeof(size));
    expect(size > 0 && size % (kBlock * sizeof(std::uint32_t)) == 0 && size < bytes.size());
    units_.resize(size / sizeof(std::uint32_t));
    std::memcpy(units_.data(), bytes.data(), size);
    replacements_ = bytes.substr(size);
    expect(replacements_.back() == '\0');
  }

  void check_all() {
    sort_children();
    // Depth first, without recursion. Nodes can have several parents but no node may be below itself.
    nested_.assign(units_.size(), kNew);
    std::vector<Visit> open = {visit(0)};
    while (!open.empty()) {
      Visit& top = open.back();
      if (top.next_child == children_from_[top.base + 1]) {
        nested_[top.node] = top.nested + (has_leaf(top.node) ? 1 : 0);
        expect(nested_[top.node] <= kMostNestedRules);
        const std::uint32_t below = nested_[top.node];
        open.pop_back();
        if (!open.empty()) open.back().nested = std::max(open.back().nested, below);
        continue;
      }
      const std::uint32_t child = children_[top.next_child++];
      expect(nested_[child] != kOpen);
      if (nested_[child] == kNew)
        open.push_back(visit(child));
      else
        top.nested = std::max(top.nested, nested_[child]);
    }
  }

 private:
  static constexpr std::uint32_t kBlock = 256;  // the children of a node are in one block
  static constexpr std::uint32_t kNew = UINT32_MAX, kOpen = UINT32_MAX - 1;

  struct Visit {
    std::uint32_t node, base, next_child, nested;
  };

  bool is_leaf(std::uint32_t i) const { return units_[i] >> 31 != 0; }
  bool has_leaf(std::uint32_t i) const { return (units_[i] >> 8 & 1) != 0; }
  std::uint32_t label(std::uint32_t i) const { return units_[i] & 0xFF; }
  std::uint32_t base(std::uint32_t i) const { return i ^ (units_[i] >> 10 << (units_[i] >> 9 & 1) * 8); }

  void expect(bool holds) const { check<InputError>(holds, "{}: its normalization rules are damaged", name_); }

  // Groups all units that can be children by the base of their parents.
  void sort_children() {
    children_from_.assign(units_.size() + 1, 0);
    for (std::uint32_t i = 0; i < units_.size(); ++i)
      if (!is_leaf(i)) ++children_from_[(i ^ label(i)) + 1];
    for (std::size_t i = 1; i < children_from_.size(); ++i) children_from_[i] += children_from_[i - 1];
    children_.resize(children_from_.back());
    std::vector<std::uint32_t> next = children_from_;
    for (std::uint32_t i = 0; i < units_.size(); ++i)
      if (!is_leaf(i)) children_[next[i ^ label(i)]++] = i;
  }

  Visit visit(std::uint32_t node) {
    const std::uint32_t at = base(node);
    expect(at < units_.size());
    // The root's leaf would be a rule for the empty text, which is never looked up.
    if (node != 0 && has_leaf(node)) check_replacement(units_[at] & INT32_MAX);
    nested_[node] = kOpen;
    return {node, at, children_from_[at], 0};
  }

  void check_replacement(std::size_t at) const {
    expect(at < replacements_.size());
    const std::string_view text = replacements_.substr(at, kLongestReplacement + 1);
    const std::size_t end = text.find('\0');
    expect(end != text.npos && is_valid_utf8(text.substr(0, end)));
  }

  std::string_view name_, replacements_;
  std::vector<std::uint32_t> units_;
  std::vector<std::uint32_t> children_from_, children_;  // by base
  std::vector<std::uint32_t> nested_;                    // most rules on a path down from a node, or kNew or kOpen
};

// Checks a NormalizerSpec message, of which a model can have two; returns whether it has rules.
bool check_normalizer(std::string_view message, std::string_view name) {
  bool normalizes = false;
  for (Fields fields(message, name); fields.next();) {
    if (fields.number() != 2 || fields.bytes().empty()) continue;
    NormalizationRules(fields.bytes(), name).check_all();
    normalizes = true;
  }
  return normalizes;
}

class PieceChecker {
 public:
  explicit PieceChecker(std::string_view name) : name_(name) {}

  void add(std::string_view message) {
    enum : std::uint64_t { kNormal = 1, kUserDefined = 4, kByte = 6 };
    ++count_;
    check<InputError>(count_ <= kMostPieces, "{} has more than {} subwords", name_, kMostPieces);
    std::string_view text;
    std::uint64_t type = kNormal;
    for (Fields fields(message, name_); fields.next();) {
      if (fields.number() == 1) text = fields.bytes();
      if (fields.number() == 2)
        check<InputError>(std::isfinite(fields.real()), "{}: the score of subword {} is not finite", name_, count_);
      if (fields.number() == 3) {
        type = fields.integer();
        check<InputError>(type >= kNormal && type <= kByte, "{}: subword {} has the unknown type {}", name_, count_,
                          type);
      }
    }
    check<InputError>(!text.empty() && text.size() <= kLongestPiece, "{}: subword {} has {} bytes; 1 to {} are allowed",
                      name_, count_, text.size(), kLongestPiece);
    check<InputError>(is_valid_utf8(text) && text.find('\0') == text.npos, "{}: subword {} is not valid UTF-8 text",
                      name_, count_);
    if (type == kUserDefined) symbols_.push_back(text);
  }

  void check_all() {
    check<InputError>(count_ > 0, "{} is not a SentencePiece model, or has no subwords", name_);
    std::ranges::sort(symbols_);
    std::vector<std::string_view> nested;  // each begins with the one before
    for (const std::string_view symbol : symbols_) {
      while (!nested.empty() && !symbol.starts_with(nested.back())) nested.pop_back();
      nested.push_back(symbol);
      check<InputError>(nested.size() <= kMostNestedSymbols,
                        "{} has more than {} user-defined symbols that are prefixes of each other", name_,
                        kMostNestedSymbols);
    }
  }

 private:
  std::string_view name_;
  std::size_t count_ = 0;
  std::vector<std::string_view> symbols_;  // user-defined
};

void check_self_test(std::string_view message, std::string_view name) {
  check<InputError>(message.size() <= kLargestSelfTest, "{}: its self-test has {} bytes; at most {} are allowed", name,
                    message.size(), kLargestSelfTest);
  for (Fields samples(message, name); samples.next();)
    if (samples.number() == 1)
      check<InputError>(samples.bytes().size() <= kLongestSelfTest,
                        "{}: a text of its self-test has {} bytes; at most {} are allowed", name,
                        samples.bytes().size(), kLongestSelfTest);
}

}  // namespace

SubwordModelTraits check_subword_model(std::string_view bytes, std::string_view name) {
  enum : std::uint64_t { kPiece = 1, kNormalizer = 3, kSelfTest = 4, kDenormalizer = 5 };
  check<InputError>(bytes.size() <= kLargestModel, "{} has {} bytes; a subword model has at most {}", name,
                    bytes.size(), kLargestModel);
  SubwordModelTraits traits;
  PieceChecker pieces(name);
  for (Fields fields(bytes, name); fields.next();) {
    if (fields.number() == kPiece) pieces.add(fields.bytes());
    if (fields.number() == kNormalizer || fields.number() == kDenormalizer)
      traits.normalizes = check_normalizer(fields.bytes(), name) || traits.normalizes;
    if (fields.number() == kSelfTest) check_self_test(fields.bytes(), name);
  }
  pieces.check_all();
  return traits;
}

}  // namespace heed::text
