// The counters of a server, and how they are printed in the text format of Prometheus. Only for the I/O thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace heed::serve {

class Histogram {
 public:
  static constexpr std::array<double, 14> kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                     0.25,  0.5,    1,     2.5,  5,     10,   30};
  void add(double seconds);
  // Appends the lines of this metric.
  void print(std::string& to, std::string_view name, std::string_view help) const;

 private:
  std::array<std::uint64_t, kBounds.size() + 1> counts_{};
  double sum_ = 0;
};

struct Metrics {
  std::map<std::pair<std::string_view, int>, std::uint64_t> requests;  // by route and status
  std::map<std::string_view, std::uint64_t> refused;                   // by reason
  Histogram wait, work, total;                                         // of requests that translate
  std::uint64_t cancelled = 0;                                         // requests whose client disconnected
  std::uint64_t texts = 0, characters = 0, words = 0;                  // translated successfully

  // Appends the lines of all metrics.
  void print(std::string& to) const;
};

// Append the HELP and TYPE lines of a metric, and one value. Labels are not escaped, so they must not contain anything
// that a client sent.
void print_metric_head(std::string& to, std::string_view name, std::string_view kind, std::string_view help);
void print_metric(std::string& to, std::string_view name, std::string_view labels, double value);

// The resident memory of this process in bytes; 0 if it is unknown.
std::uint64_t resident_bytes();

}  // namespace heed::serve
