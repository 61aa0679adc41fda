// The counters of a server, and how they are printed in the text format of Prometheus. Only for the I/O thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/time_histogram.h"

namespace heed::serve {

struct Metrics {
  std::map<std::pair<std::string_view, int>, std::uint64_t> requests;  // by route and status
  std::map<std::string_view, std::uint64_t> refused;                   // by reason
  TimeHistogram wait, work, total;                                     // of requests that translate
  std::uint64_t cancelled = 0;                                         // requests whose client disconnected
  std::uint64_t texts = 0, characters = 0, words = 0;                  // translated successfully

  // Appends the lines of all metrics.
  void print(std::string& to) const;
};

// Append the HELP and TYPE lines of a metric, and one value. Labels are not escaped, so they must not contain anything
// that a client sent.
void print_metric_head(std::string& to, std::string_view name, std::string_view kind, std::string_view help);
void print_metric(std::string& to, std::string_view name, std::string_view labels, double value);

// The same for a histogram, whose head is that of the kind "histogram".
void print_histogram(std::string& to, std::string_view name, const std::string& labels, const TimeHistogram& histogram);

// The resident memory of this process in bytes; 0 if it is unknown.
std::uint64_t resident_bytes();

}  // namespace heed::serve
