#include "train/event_file.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "base/checksum.h"
#include "base/enum_names.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json_lines.h"
#include "train/validation.h"

namespace heed::train {
namespace {

template <class Integer>
std::string little_endian(Integer number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
  return bytes;
}

std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7F) | 0x80);
  return bytes + static_cast<char>(number);
}

// The fields of a protobuf message: the number of the field and its wire type, then the value.
std::string field(unsigned number, double value) {
  return varint(number << 3 | 1) + little_endian(std::bit_cast<std::uint64_t>(value));
}
std::string field(unsigned number, float value) {
  return varint(number << 3 | 5) + little_endian(std::bit_cast<std::uint32_t>(value));
}
std::string field(unsigned number, std::int64_t value) {
  return varint(number << 3) + varint(static_cast<std::uint64_t>(value));
}
std::string field(unsigned number, std::string_view value) {
  return varint(number << 3 | 2) + varint(value.size()) + std::string(value);
}

std::string masked_checksum(std::string_view bytes) {
  return little_endian(std::rotr(crc32c(bytes), 15) + 0xA282EAD8U);
}

std::string record(const std::string& event) {
  const std::string length = little_endian(std::uint64_t{event.size()});
  return length + masked_checksum(length) + event + masked_checksum(event);
}

// The first record; its time is the start of the run.
std::string header(double started) {
  return record(field(1, started) + field(3, std::string_view("brain.Event:2")));
}

// The start of the run, as an event file with this content records it; 0 if it is not an event file.
double start_of(std::string_view content) {
  constexpr std::size_t kTimeAt = 8 + 4 + 1;  // after the length, its checksum and the field's number
  if (content.size() < header(0).size()) return 0;
  std::uint64_t bits = 0;
  for (std::size_t i = 8; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(content[kTimeAt + i]);
  const auto started = std::bit_cast<double>(bits);
  return content.starts_with(header(started)) && std::isfinite(started) ? started : 0;
}

double number_of(const Json& line, const std::string& key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>() : NAN;
}

// The record of a line; empty if it has no numbers.
std::string event(const Json& line, double started) {
  const std::string kind = line.value("kind", Json()).is_string() ? line["kind"].get<std::string>() : "";
  const bool is_update = kind == "update";
  if (!is_update && kind != "validation" && kind != "average") return "";
  const std::vector<std::string> keys =
      is_update ? std::vector<std::string>{"loss", "learning_rate", "gradient_norm", "tokens_per_second"}
                : enum_names(ValidationMetric{});
  const std::string prefix = is_update ? "train/" : kind == "average" ? "average/" : "valid/";
  std::string summary;
  for (const std::string& key : keys)
    if (const auto value = static_cast<float>(number_of(line, key)); std::isfinite(value))
      summary += field(1, std::string_view(field(1, std::string_view(prefix + key)) + field(2, value)));
  const double seconds = number_of(line, "seconds"), update = number_of(line, "update");
  if (summary.empty() || !(seconds >= 0) || !(update >= 0 && update < 1e15)) return "";
  return record(field(1, started + seconds) + field(2, static_cast<std::int64_t>(update)) +
                field(5, std::string_view(summary)));
}

}  // namespace

std::string event_file(std::string_view metrics, double started) {
  std::string content = header(started);
  for (const JsonLine& line : json_lines(metrics, "")) {
    try {
      content += event(line.parse(), started);
    } catch (const InputError&) {  // heed did not write this line
    }
  }
  return content;
}

void EventLog::open(const std::string& path, double seconds) {
  file_.open(path);
  started_ = start_of(read_file(path));
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  if (started_ == 0) started_ = now.count() - seconds;
}

void EventLog::follow(std::string_view metrics) {
  const std::string wanted = event_file(metrics, started_), content = read_file(file_.path());
  // Leaves the common part untouched, because TensorBoard may be reading the file.
  const auto common = std::ranges::mismatch(wanted, content).in1 - wanted.begin();
  file_.truncate(common);
  file_.append(std::string_view(wanted).substr(static_cast<std::size_t>(common)));
}

void EventLog::write(const Json& line) {
  file_.append(event(line, started_));
}

}  // namespace heed::train
