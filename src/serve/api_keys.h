// The keys of clients, from a file with one per line:
//
//   # name    SHA-256 of the key (printf %s KEY | sha256sum)    requests per minute, 0 or nothing: any number
//   weblate   2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683   60
//
// The file does not hold the keys themselves, and a key is compared in constant time. Thread-safe.
#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include "serve/sha256.h"

namespace heed::serve {

class ApiKeys {
 public:
  using Clock = std::chrono::steady_clock;
  struct Key {
    std::string name;
    Sha256 digest{};
    int per_minute = 0;  // 0: any number
  };

  // No keys: everyone may use the server.
  ApiKeys() = default;
  // InputError with file and line for a line that is not as above or repeats a name, and for a file without keys.
  explicit ApiKeys(const std::string& path);

  bool required() const { return !entries_.empty(); }
  // Null if it is not one of the keys.
  const Key* find(std::string_view key) const;
  // Counts a request. False if the key has used up those of a minute; they return evenly over a minute.
  bool take(const Key& key, Clock::time_point now = Clock::now());

 private:
  struct Entry {
    Key key;
    double left = 0;
    Clock::time_point last = {};
  };
  std::mutex mutex_;           // guards `left` and `last`
  std::deque<Entry> entries_;  // in the order of the file
};

}  // namespace heed::serve
