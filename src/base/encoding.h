// Character encodings of text files: recognized, and converted to UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::inline base {

// utf16: in the byte order that its byte-order mark says, or else little-endian. latin1 is read as CP1252, which has
// the same letters and punctuation in place of control characters.
enum class Encoding : std::uint8_t { detect, utf8, utf16, utf16le, utf16be, cp1252, latin1 };
std::vector<std::string> enum_names(Encoding);
// By a name as it stands in files ("ISO-8859-1", "utf8"); Encoding::detect if heed does not read it.
Encoding encoding_by_name(std::string_view name);
// For messages: "UTF-8", "UTF-16" or "CP1252 (Latin-1)".
std::string_view encoding_title(Encoding encoding);

// Whether a byte-order mark of UTF-16 or UTF-8 starts the text, or could if more bytes followed.
bool may_become_mark(std::string_view start);

// The encoding of text that starts with `sample`: by its byte-order mark; UTF-16 without
// one if its zero bytes show it; UTF-8 if that is possible; CP1252 if everything that is not ASCII are letters within
// words and punctuation of Western European text. Otherwise UTF-8, whose invalid bytes are dealt with later.
Encoding detect_encoding(std::string_view sample);

// Converts text in parts. A byte or unit without meaning becomes an invalid UTF-8 sequence, so that it is reported,
// counted and replaced as invalid UTF-8 is.
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
  int odd_byte_ = -1;            // the first half of a unit
  char16_t high_surrogate_ = 0;  // waits for its other half
};

}  // namespace heed::base
