// Finds what a translation must keep verbatim: addresses, file names, numbers, code, placeholders, emoji. Dates in
// words do not count. Functions without state, thread-safe; they never throw and take linear time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/unicode.h"

namespace heed::text {

enum class SpanKind : std::uint8_t {
  url,          // https://example.org/a?b=c, www.example.org, example.com
  email,        // name@example.org
  path,         // /usr/bin, C:\Users, src/main.cpp, notes.txt
  number,       // 12, -3.5, 1,000,000, 3/4, 1.2.3
  date,         // 2024-12-31, 31.12.2024, 10:30, 2024-12-31T10:30:00Z
  quantity,     // a number with a unit symbol or currency sign: 3.5 kg, 20%, $5
  code,         // `x`, ``x ` y``
  emoji,        // one or several in a row; also notes: ♪
  tag,          // <b>, </b>, <x id="1"/>
  placeholder,  // {name}, {{x}}, {n, plural, …}, %s, %1$d, %%, 50%%, %(name)s, %PRODUCT, ${x}, $(x), #{x}
};
inline constexpr std::size_t kSpanKinds = 10;
std::string_view name_of(SpanKind kind);
// Numbers, dates and quantities: a translation may format them differently, "1,000" as "1.000".
constexpr bool is_numeric(SpanKind kind) {
  return kind == SpanKind::number || kind == SpanKind::date || kind == SpanKind::quantity;
}

struct ProtectedSpan {
  SpanKind kind = SpanKind::url;
  Span span;
  bool operator==(const ProtectedSpan&) const = default;
};

// In the order of the text, without overlaps and never empty.
std::vector<ProtectedSpan> find_protected_spans(std::u32string_view text);

// A key that is the same for all spellings of a number, date or quantity: the digits, then the sorted letters and
// signs. "1,000 kg" and "1.000 kg" have the same key, as do "$5" and "5 $".
std::u32string numeric_key(std::u32string_view text);

}  // namespace heed::text
