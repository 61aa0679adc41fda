// The API keys of clients, read from a file with one key per line:
//
//   # name    SHA-256 of the key (printf %s KEY | sha256sum)    requests per minute; 0 or nothing: no limit
//   weblate   2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683   60
//
// The file does not contain the keys themselves. Keys are compared in constant time. Thread-safe.
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
    int per_minute = 0;  // requests; 0: no limit
  };

  // No keys: everyone may use the server.
  ApiKeys() = default;
  // InputError, with file and line, if a line is malformed or repeats a name; also if the file has no keys.
  explicit ApiKeys(const std::string& path);

  bool required() const { return !entries_.empty(); }
  // Null if the key is unknown.
  const Key* find(std::string_view key) const;
  // Takes one request from the key's token bucket, which holds one minute's requests and refills continuously. False
  // if it is empty.
  bool take(const Key& key, Clock::time_point now = Clock::now());

 private:
  struct Entry {
    Key key;
    double left = 0;              // requests in the token bucket
    Clock::time_point last = {};  // when it was last refilled
  };
  std::mutex mutex_;           // guards `left` and `last`
  std::deque<Entry> entries_;  // in file order
};

}  // namespace heed::serve
