// A corpus that can be read several times, even if it comes from standard input.
#pragma once

#include <memory>
#include <string>

#include "data/corpus.h"
#include "data/scratch_file.h"

namespace heed::data {

class SpooledCorpus {
 public:
  // Copies standard input, if it is one of the files, to a temporary file without a name in `directory` (empty: the
  // system's temporary directory). InputError if that fails; UsageError as CorpusFiles::check().
  SpooledCorpus(CorpusFiles files, const std::string& directory);

  // Valid as long as this object.
  const CorpusFiles& files() const { return files_; }

 private:
  CorpusFiles files_;
  std::unique_ptr<ScratchFile> copy_;
};

}  // namespace heed::data
