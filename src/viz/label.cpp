#include "viz/label.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "text/unicode.h"

namespace heed::viz {
namespace {

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool among(const Range (&ranges)[N], char32_t c) {
  const Range* const after = std::ranges::upper_bound(ranges, c, {}, &Range::first);
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

// Combining marks and invisible joiners of the scripts that use them most (Unicode 15, categories Mn, Me and Cf).
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x05BF, 0x05BF},   {0x05C1, 0x05C2},   {0x05C4, 0x05C5},
    {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0670, 0x0670}, {0x06D6, 0x06DC},   {0x06DF, 0x06E4},   {0x06E7, 0x06E8},
    {0x06EA, 0x06ED}, {0x0711, 0x0711}, {0x0730, 0x074A}, {0x0900, 0x0902},   {0x093A, 0x093A},   {0x093C, 0x093C},
    {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0951, 0x0957}, {0x0962, 0x0963},   {0x0981, 0x0981},   {0x09BC, 0x09BC},
    {0x09C1, 0x09C4}, {0x09CD, 0x09CD}, {0x0A41, 0x0A51}, {0x0AC1, 0x0ACD},   {0x0B4D, 0x0B4D},   {0x0BCD, 0x0BCD},
    {0x0C3E, 0x0C40}, {0x0C46, 0x0C56}, {0x0D41, 0x0D44}, {0x0D4D, 0x0D4D},   {0x0E31, 0x0E31},   {0x0E34, 0x0E3A},
    {0x0E47, 0x0E4E}, {0x0EB1, 0x0EB1}, {0x0EB4, 0x0EBC}, {0x0F71, 0x0F84},   {0x102D, 0x1030},   {0x1039, 0x103A},
    {0x1160, 0x11FF}, {0x17B4, 0x17B5}, {0x17B7, 0x17BD}, {0x17C6, 0x17C6},   {0x17C9, 0x17D3},   {0x180B, 0x180E},
    {0x1AB0, 0x1ACE}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x2060, 0x2064},   {0x20D0, 0x20F0},   {0x3099, 0x309A},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF}, {0xE0020, 0xE007F}, {0xE0100, 0xE01EF},
};

// East Asian Width W and F, which holds the emoji too.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267F, 0x267F},
    {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},
    {0x26CE, 0x26CE},   {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},
    {0x2E80, 0x303E},   {0x3041, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x16FE0, 0x18DFF}, {0x1AFF0, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E},
    {0x1F191, 0x1F19A}, {0x1F1E6, 0x1F1FF}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F64F}, {0x1F680, 0x1F6FF},
    {0x1F7E0, 0x1F7EB}, {0x1F90C, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

// Directional controls could turn a whole line around; the rest cannot stand in XML.
constexpr Range kRefused[] = {
    {0x061C, 0x061C}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFFF9, 0xFFFB}, {0xFFFE, 0xFFFF},
};

constexpr char32_t kJoiner = 0x200D;
bool is_regional(char32_t c) {
  return c >= 0x1F1E6 && c <= 0x1F1FF;
}

std::size_t columns_of(char32_t c, char32_t before) {
  // What is joined to an emoji takes no place of its own.
  if (among(kZeroWidth, c) || before == kJoiner) return 0;
  if (is_regional(c)) return 1;  // two of them make a flag
  return among(kWide, c) ? 2 : 1;
}

double ems_of(char32_t c, char32_t before) {
  const std::size_t columns = columns_of(c, before);
  if (columns == 0) return 0;
  if (columns == 2) return c >= 0x1F000 ? 1.3 : 1.02;
  if (is_regional(c)) return 0.65;
  if (c >= 0x80) return c < 0x250 ? 0.62 : 0.72;
  constexpr std::string_view kNarrow = "ijl.,:;'|!I", kSlim = "frt()[]{}-/\\\" J1", kBroad = "mMW@w%";
  const char ascii = static_cast<char>(c);
  if (kNarrow.find(ascii) != kNarrow.npos) return 0.33;
  if (kSlim.find(ascii) != kSlim.npos) return 0.43;
  if (kBroad.find(ascii) != kBroad.npos) return 0.92;
  return c >= 'A' && c <= 'Z' ? 0.71 : 0.61;
}

template <class Number, class Measure>
Number width_of(std::u32string_view text, Measure measure) {
  Number sum = 0;
  for (std::size_t i = 0; i < text.size(); ++i) sum += measure(text[i], i == 0 ? 0 : text[i - 1]);
  return sum;
}

template <class Number, class Measure>
std::string shortened(std::string_view utf8, Number most, Number ellipsis, Measure measure) {
  const std::u32string text = text::decode_utf8(utf8);
  if (width_of<Number>(text, measure) <= most) return std::string(utf8);
  std::string shorter;
  Number sum = ellipsis;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((sum += measure(text[i], i == 0 ? 0 : text[i - 1])) > most) break;
    text::append_utf8(shorter, text[i]);
  }
  return shorter + "…";
}

}  // namespace

std::string clean_label(std::string_view text) {
  if (text.empty()) return "∅";
  std::string clean;
  for (const char32_t c : text::decode_utf8(text)) {
    const bool refused = (c >= 0x80 && c < 0xA0) || among(kRefused, c) || (c & 0xFFFE) == 0xFFFE;
    text::append_utf8(clean, c < 0x20 ? 0x2400 + c : c == 0x7F ? 0x2421 : refused ? 0xFFFD : c);
  }
  return clean;
}

std::vector<std::string> clean_labels(std::span<const text::Token> tokens) {
  std::vector<std::string> clean;
  clean.reserve(tokens.size());
  for (const text::Token& token : tokens) clean.push_back(clean_label(token.text));
  return clean;
}

double em_width(std::string_view text) {
  return width_of<double>(text::decode_utf8(text), ems_of);
}

std::string shorten_to_ems(std::string_view text, double ems) {
  return shortened<double>(text, ems, 1, ems_of);
}

std::size_t terminal_columns(std::string_view text) {
  return width_of<std::size_t>(text::decode_utf8(text), columns_of);
}

std::string shorten_to_columns(std::string_view text, std::size_t columns) {
  return shortened<std::size_t>(text, columns, 1, columns_of);
}

std::string escape_markup(std::string_view text) {
  constexpr std::pair<char, std::string_view> kEntities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string escaped;
  for (const char c : text) {
    const auto* const found = std::ranges::find(kEntities, c, &std::pair<char, std::string_view>::first);
    escaped += found == std::end(kEntities) ? std::string_view(&c, 1) : found->second;
  }
  return escaped;
}

}  // namespace heed::viz
