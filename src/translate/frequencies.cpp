#include "translate/frequencies.h"

#include <algorithm>

#include "base/error.h"
#include "base/numbers.h"

namespace heed::translate {
namespace {

constexpr const char* kSourceKey = "heed.frequencies.source";
constexpr const char* kTargetKey = "heed.frequencies.target";
constexpr std::int64_t kMaxFrequency = 1'000'000'000'000'000;  // sums of these do not overflow

std::string to_lines(const std::vector<std::int64_t>& numbers) {
  std::string lines;
  for (const std::int64_t number : numbers) lines += fmt::format("{}\n", number);
  return lines;
}

std::vector<std::int64_t> from_lines(std::string_view lines, int size, const std::string& name) {
  std::vector<std::int64_t> numbers;
  while (!lines.empty() && numbers.size() <= static_cast<std::size_t>(size)) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::int64_t number = -1;
    const bool ok = parse_number(lines.substr(0, end), number) == std::errc() && number >= 0 && number <= kMaxFrequency;
    check<InputError>(ok, "{}:{}: this is not a frequency; the file is damaged or was not written by heed", name,
                      numbers.size() + 1);
    numbers.push_back(number);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  check<InputError>(numbers.size() == static_cast<std::size_t>(size),
                    "{} does not have the {} lines of the vocabulary; the file is damaged or was not written by heed",
                    name, size);
  return numbers;
}

}  // namespace

Metadata Frequencies::metadata() const {
  return {{kSourceKey, to_lines(source)}, {kTargetKey, to_lines(target)}};
}

std::optional<Frequencies> read_frequencies(const model::ModelFile& file, const std::string& path) {
  const std::string *source = file.find_metadata(kSourceKey), *target = file.find_metadata(kTargetKey);
  if (source == nullptr || target == nullptr) return {};
  const model::VocabularyConfig& sizes = file.model->config().vocabulary;
  return Frequencies{.source = from_lines(*source, sizes.source, fmt::format("{}: {}", path, kSourceKey)),
                     .target = from_lines(*target, sizes.target, fmt::format("{}: {}", path, kTargetKey))};
}

}  // namespace heed::translate
