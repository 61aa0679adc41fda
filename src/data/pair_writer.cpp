#include "data/pair_writer.h"

#include <algorithm>
#include <utility>

#include "text/languages.h"

namespace heed::data {

std::vector<std::string> PairFiles::names() const {
  return tsv.empty() ? std::vector{source, target} : std::vector{tsv};
}

PairWriter::PairWriter(const PairFiles& files) : first_(files.tsv.empty() ? files.source : files.tsv) {
  if (files.tsv.empty()) second_.emplace(files.target);
}

void PairWriter::write(const SentencePair& pair, const Languages& languages) {
  if (second_) {
    first_.write(pair.source + "\n");
    second_->write(pair.target + "\n");
    return;
  }
  const auto field = [](std::string text) {
    std::ranges::replace(text, '\t', ' ');
    return text;
  };
  if (!std::exchange(started_, true)) {
    const std::string source = text::find_language(languages.source), target = text::find_language(languages.target);
    if (!source.empty() && !target.empty() && source != target) first_.write(source + "\t" + target + "\n");
  }
  first_.write(field(pair.source) + "\t" + field(pair.target) + "\n");
}

void PairWriter::commit() {
  first_.commit();
  if (second_) second_->commit();
}

}  // namespace heed::data
