#include "serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/files.h"
#include "base/system.h"

namespace heed::serve {

void print_metric_head(std::string& to, std::string_view name, std::string_view kind, std::string_view help) {
  fmt::format_to(std::back_inserter(to), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, kind);
}

void print_metric(std::string& to, std::string_view name, std::string_view labels, double value) {
  to += name;
  if (!labels.empty()) fmt::format_to(std::back_inserter(to), "{{{}}}", labels);
  fmt::format_to(std::back_inserter(to), " {}\n", value);
}

void print_histogram(std::string& to, std::string_view name, const std::string& labels,
                     const TimeHistogram& histogram) {
  constexpr auto& kBounds = TimeHistogram::kBounds;
  std::uint64_t count = 0;
  const std::string bucket = fmt::format("{}_bucket", name), others = labels.empty() ? "" : labels + ",";
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    count += histogram.counts[i];
    const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf";
    print_metric(to, bucket, fmt::format("{}le=\"{}\"", others, bound), static_cast<double>(count));
  }
  print_metric(to, fmt::format("{}_sum", name), labels, histogram.sum);
  print_metric(to, fmt::format("{}_count", name), labels, static_cast<double>(count));
}

void Metrics::print(std::string& to) const {
  print_metric_head(to, "heed_requests_total", "counter", "answered requests");
  for (const auto& [key, count] : requests)
    print_metric(to, "heed_requests_total", fmt::format("path=\"{}\",status=\"{}\"", key.first, key.second),
                 static_cast<double>(count));
  print_metric_head(to, "heed_refused_total", "counter", "requests that were refused because of a limit");
  for (const auto& [reason, count] : refused)
    print_metric(to, "heed_refused_total", fmt::format("reason=\"{}\"", reason), static_cast<double>(count));
  print_metric_head(to, "heed_cancelled_total", "counter", "requests whose client was gone before the answer");
  print_metric(to, "heed_cancelled_total", "", static_cast<double>(cancelled));
  print_metric_head(to, "heed_texts_total", "counter", "translated texts");
  print_metric(to, "heed_texts_total", "", static_cast<double>(texts));
  print_metric_head(to, "heed_characters_total", "counter", "characters of translated texts");
  print_metric(to, "heed_characters_total", "", static_cast<double>(characters));
  print_metric_head(to, "heed_words_total", "counter", "words of translated texts, as white space separates them");
  print_metric(to, "heed_words_total", "", static_cast<double>(words));
  const auto print_times = [&](const TimeHistogram& times, std::string_view name, std::string_view help) {
    print_metric_head(to, name, "histogram", help);
    print_histogram(to, name, "", times);
  };
  print_times(wait, "heed_wait_seconds", "time from the arrival of a request to the start of its work");
  print_times(work, "heed_work_seconds", "time from the start of the work on a request to its answer");
  print_times(total, "heed_request_seconds", "time from the arrival of a request to its answer");
}

std::uint64_t resident_bytes() try {
  const std::string text = read_file("/proc/self/statm");  // pages: total, resident, …
  const std::size_t space = std::min(text.find(' '), text.size());
  return std::strtoull(text.c_str() + space, nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
} catch (const std::exception&) {
  return 0;
}

}  // namespace heed::serve
