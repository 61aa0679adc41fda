#include "data/pair_writer.h"

#include <algorithm>

namespace heed::data {

std::vector<std::string> PairFiles::names() const {
  return tsv.empty() ? std::vector{source, target} : std::vector{tsv};
}

PairWriter::PairWriter(const PairFiles& files) : first_(files.tsv.empty() ? files.source : files.tsv) {
  if (files.tsv.empty()) second_.emplace(files.target);
}

void PairWriter::write(const SentencePair& pair) {
  if (second_) {
    first_.write(pair.source + "\n");
    second_->write(pair.target + "\n");
    return;
  }
  const auto field = [](std::string text) {
    std::ranges::replace(text, '\t', ' ');
    return text;
  };
  first_.write(field(pair.source) + "\t" + field(pair.target) + "\n");
}

void PairWriter::commit() {
  first_.commit();
  if (second_) second_->commit();
}

}  // namespace heed::data
