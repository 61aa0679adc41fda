// Writes sentence pairs to two files, one sentence per line, or to one tab-separated file, whose first line names the
// languages if these are known. The files appear when they are complete. InputError if they cannot be written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "data/corpus.h"

namespace heed::data {

// Either source and target, or one tab-separated file.
struct PairFiles {
  std::string source = {}, target = {}, tsv = {};

  bool empty() const { return source.empty() && tsv.empty(); }
  std::vector<std::string> names() const;
};

class PairWriter {
 public:
  explicit PairWriter(const PairFiles& files);

  // `languages`: of all pairs; used with the first one.
  void write(const SentencePair& pair, const Languages& languages);
  void commit();

 private:
  AtomicFile first_;
  std::optional<AtomicFile> second_;  // none: tab-separated
  bool started_ = false;
};

}  // namespace heed::data
