// Character encodings of text files: recognized, and converted to UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::inline base {

// utf16 is in the order of its byte-order mark, little-endian if it has none. latin1 is read as CP1252, which is the
// same except that punctuation and a few letters replace control characters.
enum class Encoding : std::uint8_t { detect, utf8, utf16, utf16le, utf16be, cp1252, latin1 };
std::vector<std::string> enum_names(Encoding);
// The encoding that files call by this name ("ISO-8859-1", "utf8"); Encoding::detect if heed does not support it.
Encoding encoding_by_name(std::string_view name);
// For messages: "UTF-8", "UTF-16" or "CP1252 (Latin-1)".
std::string_view encoding_title(Encoding encoding);

// Whether more bytes could make `start` a byte-order mark of UTF-16 or UTF-8.
bool may_become_mark(std::string_view start);

// The encoding of text that starts with `sample`: that of its byte-order mark; UTF-16 without a mark if the zero bytes
// indicate it; UTF-8 if the sample has a valid multi-byte sequence; CP1252 if all bytes that are not ASCII are letters
// or punctuation of Western European text. Otherwise UTF-8, whose invalid bytes are handled later.
Encoding detect_encoding(std::string_view sample);

// Converts text in parts. An unassigned byte or unpaired surrogate becomes an invalid UTF-8 sequence, so that it is
// reported, counted and replaced like invalid UTF-8.
class Decoder {
 public:
  // Not Encoding::detect.
  explicit Decoder(Encoding encoding) : encoding_(encoding) {}
  // Appends to `out`; `last`: nothing follows.
  void decode(std::string_view bytes, bool last, std::string& out);

 private:
  void decode_unit(char16_t unit, std::string& out);

  Encoding encoding_;
  bool start_ = true;
  int odd_byte_ = -1;            // the first byte of a unit, or -1
  char16_t high_surrogate_ = 0;  // waiting for its other half; 0: none
};

}  // namespace heed::base
