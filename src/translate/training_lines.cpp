#include "translate/training_lines.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"

namespace heed::translate {
namespace {

constexpr const char* kKey = "heed.lines";
// If a smaller fraction of lines had several sentences, the model has hardly learned from such lines.
constexpr double kOften = 0.05;
constexpr std::int64_t kCountAllUpTo = 10000, kThenEvery = 16;

}  // namespace

bool TrainingLines::includes(std::string_view line) const {
  return several >= kOften && static_cast<std::int64_t>(utf8_length(line)) <= characters;
}

Metadata TrainingLines::metadata() const {
  return {{kKey, dump_json({{"several", several}, {"characters", characters}})}};
}

std::optional<TrainingLines> read_training_lines(const model::ModelFile& file, const std::string& path) {
  const std::string* text = file.find_metadata(kKey);
  if (text == nullptr) return {};
  const std::string name = fmt::format("{}: {}", path, kKey);
  const Json json = parse_json(*text, name);
  const bool ok = json.is_object() && json.contains("several") && json["several"].is_number() &&
                  json.contains("characters") && json["characters"].is_number_integer();
  check<InputError>(ok, "{}: the file is damaged or was not written by heed", name);
  return TrainingLines{.several = json["several"].get<double>(), .characters = json["characters"].get<std::int64_t>()};
}

void LineCounter::add(std::string_view line) {
  const std::int64_t index = lines_++;
  if (index >= kCountAllUpTo && index % kThenEvery != 0) return;
  lengths_.push_back(static_cast<std::uint32_t>(utf8_length(line)));
  if (splitter_.split(line).size() > 1) ++several_;
}

TrainingLines LineCounter::result() const {
  if (lengths_.empty()) return {};
  std::vector<std::uint32_t> sorted = lengths_;
  std::ranges::sort(sorted);
  const double fraction = static_cast<double>(several_) / static_cast<double>(sorted.size());
  return {.several = std::round(10000 * fraction) / 10000, .characters = sorted[(sorted.size() - 1) * 99 / 100]};
}

}  // namespace heed::translate
