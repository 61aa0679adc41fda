#include "text/span_lists.h"

#include <algorithm>
#include <string>

#include "text/unicode.h"

namespace heed::text {
namespace {

constexpr std::u32string_view kUnits[] = {
    U"%",   U"‰",   U"°",   U"°C", U"°F",  U"′",   U"″",   U"€",   U"$",   U"£",    U"¥",     U"mm",    U"cm",
    U"dm",  U"m",   U"km",  U"m²", U"cm²", U"km²", U"m³",  U"cm³", U"ha",  U"mg",   U"µg",    U"g",     U"kg",
    U"t",   U"ml",  U"cl",  U"dl", U"l",   U"L",   U"ms",  U"µs",  U"ns",  U"s",    U"min",   U"h",     U"Hz",
    U"kHz", U"MHz", U"GHz", U"B",  U"kB",  U"KB",  U"MB",  U"GB",  U"TB",  U"PB",   U"KiB",   U"MiB",   U"GiB",
    U"TiB", U"W",   U"kW",  U"MW", U"GW",  U"Wh",  U"kWh", U"MWh", U"V",   U"mV",   U"kV",    U"mA",    U"mAh",
    U"Ω",   U"kΩ",  U"J",   U"kJ", U"N",   U"Pa",  U"hPa", U"kPa", U"MPa", U"dB",   U"km/h",  U"m/s",   U"mph",
    U"rpm", U"fps", U"px",  U"pt", U"dpi", U"lb",  U"lbs", U"oz",  U"ft",  U"kcal", U"bit/s", U"kbit/s"};

constexpr std::string_view kExtensions[] = {
    "avi",  "bat",  "bmp", "c",   "cfg",  "conf", "cpp",  "css", "csv",  "dll",  "doc", "docx", "epub", "exe", "gif",
    "gz",   "h",    "hpp", "htm", "html", "ini",  "iso",  "jar", "java", "jpeg", "jpg", "js",   "json", "log", "md",
    "mkv",  "mov",  "mp3", "mp4", "odf",  "odg",  "odp",  "ods", "odt",  "ogg",  "otf", "pdf",  "php",  "png", "po",
    "ppt",  "pptx", "ps",  "py",  "rs",   "rtf",  "sh",   "so",  "sql",  "srt",  "svg", "tar",  "tex",  "tif", "tiff",
    "toml", "tsv",  "ttf", "txt", "vtt",  "wav",  "webp", "xls", "xlsx", "xml",  "xz",  "yaml", "yml",  "zip", "zst"};

constexpr std::u32string_view kDomains[] = {U"com", U"org", U"net", U"edu", U"gov", U"info", U"io"};

constexpr std::u32string_view kMessageTypes[] = {U"plural", U"select",   U"selectordinal", U"number",   U"date",
                                                 U"time",   U"spellout", U"ordinal",       U"duration", U"choice"};

bool contains(const auto& list, auto word) {
  return std::ranges::find(list, word) != std::end(list);
}

}  // namespace

bool is_unit(std::u32string_view symbol, bool after_space) {
  return contains(kUnits, symbol) && (after_space || (symbol != U"s" && symbol != U"t"));
}

bool is_file_extension(std::u32string_view extension) {
  // "Mr.C" and "home.So" are not file names.
  const bool upper =
      extension.size() > 2 && std::ranges::none_of(extension, [](char32_t c) { return c >= 'a' && c <= 'z'; });
  std::string name;
  for (const char32_t c : extension.substr(0, 5)) name += static_cast<char>(c >= 0x80 ? 0 : upper ? c | 0x20 : c);
  return extension.size() < 5 && contains(kExtensions, std::string_view(name));
}

bool is_top_level_domain(std::u32string_view name) {
  return contains(kDomains, name);
}

bool is_message_type(std::u32string_view word) {
  return contains(kMessageTypes, word);
}

}  // namespace heed::text
