// What a server has counted, in the text format of Prometheus. Used by the I/O thread alone.
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
  // Appends its lines.
  void print(std::string& to, std::string_view name, std::string_view help) const;

 private:
  std::array<std::uint64_t, kBounds.size() + 1> counts_{};
  double sum_ = 0;
};

struct Metrics {
  std::map<std::pair<std::string_view, int>, std::uint64_t> requests;  // by the path of a route and status
  std::map<std::string_view, std::uint64_t> refused;                   // by the reason
  Histogram wait, total;                                               // of requests that translate
  std::uint64_t cancelled = 0;                                         // the client was gone
  std::uint64_t texts = 0, characters = 0;                             // of answered requests

  // Appends the lines of all of these.
  void print(std::string& to) const;
};

// Appends the two lines in front of a metric's values, and a value. A label's value is one of ours, never a client's.
void print_metric_head(std::string& to, std::string_view name, std::string_view kind, std::string_view help);
void print_metric(std::string& to, std::string_view name, std::string_view labels, double value);

// The memory of the process in bytes.
std::uint64_t resident_bytes();

}  // namespace heed::serve
