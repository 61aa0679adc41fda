// Claims divide work among processes, on one or many machines, that share a directory. A claim is a file
// NAME.GENERATION, which only one process can create (O_EXCL, also on NFS). While the process holds it, a thread
// changes the file's content regularly: the heartbeat. If the content does not change for the time of the lease, by the
// clock of the process that watches it, the worker counts as dead, and the next generation of the name may be claimed.
// Clocks of different machines are never compared. A worker on the same machine that no longer exists is noticed at
// once.
//
// A worker that was only slow may lose its claim, so two workers may do the same work: the results must not depend on
// the worker. An object is used by one thread at a time.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/stopwatch.h"

namespace heed::shards {

// A claim that this process holds. The destructor releases it, so that others may claim the name.
class Claim {
 public:
  Claim(std::string path, int generation, std::string worker, double lease_seconds);
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim();

 private:
  void beat();

  std::string path_;    // without the generation
  std::string worker_;  // identifies this process in the content
  int generation_;
  double interval_;
  bool ended_ = false;
  std::mutex mutex_;
  std::condition_variable end_;
  std::thread heartbeat_;
};

class Claims {
 public:
  // The directory must exist.
  Claims(std::string directory, double lease_seconds);

  // Reads all claims. The lease of a claim begins with the call that first sees its content. InputError if the
  // directory cannot be read.
  void refresh();
  // Whether the last refresh() saw a claim of a worker that may be alive.
  bool is_held(const std::string& name) const;
  // Claims a name that is not held; null if another process was faster. InputError if the directory cannot be written.
  std::unique_ptr<Claim> take(const std::string& name);

 private:
  struct Seen {
    int generation = 0;
    std::string content;
    bool dead = false;
    Stopwatch unchanged;
  };

  std::string directory_;
  double lease_;
  std::map<std::string, Seen> seen_;
};

}  // namespace heed::shards
