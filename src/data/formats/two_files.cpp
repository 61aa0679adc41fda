// Two plain files, one sentence per line.
#include <algorithm>
#include <limits>

#include "base/error.h"
#include "data/formats/format.h"

namespace heed::data {

namespace {

std::uint32_t clamp_length(std::size_t length) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(length, std::numeric_limits<std::uint32_t>::max()));
}

class TwoFiles : public PairSource {
 public:
  TwoFiles(const CorpusPart& part, const FormatOptions& options)
      : source_(part.source, options.encoding), target_(part.target, options.encoding) {}

  bool next(SentencePair& pair) override {
    const bool source = source_.next(pair.source), target = target_.next(pair.target);
    if (source) source_lengths_.push_back(clamp_length(pair.source.size()));
    if (target) target_lengths_.push_back(clamp_length(pair.target.size()));
    if (source != target) report_slip(source);
    pair.line = source_.line_number();
    return source;
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    for (const LineReader* reader : {&source_, &target_})
      if (!reader->note().empty()) notes.push_back(reader->note());
    return notes;
  }

 private:
  [[noreturn]] void report_slip(bool source_longer) {
    LineReader& longer = source_longer ? source_ : target_;
    auto& lengths = source_longer ? source_lengths_ : target_lengths_;
    for (std::string line; longer.next(line);) lengths.push_back(clamp_length(line.size()));
    const std::size_t sources = source_lengths_.size(), targets = target_lengths_.size();
    const std::string& shorter = (source_longer ? target_ : source_).name();
    check<InputError>(std::min(sources, targets) > 0,
                      "'{}' is empty, but '{}' has {} line{}; a corpus has one sentence per line", shorter,
                      longer.name(), lengths.size(), lengths.size() == 1 ? "" : "s");
    check<InputError>(std::max(sources, targets) <= 2 * std::min(sources, targets),
                      "'{}' has {} line{}, but '{}' has {}; are they the two sides of the same corpus?", source_.name(),
                      sources, sources == 1 ? "" : "s", target_.name(), targets);
    const std::int64_t slip = find_slip(source_lengths_, target_lengths_);
    const bool cut = slip > static_cast<std::int64_t>(std::min(sources, targets));
    throw InputError(
        "'{}' has {} line{} and '{}' {}: {}, judging by the lengths of the lines; give two files whose lines match",
        source_.name(), sources, sources == 1 ? "" : "s", target_.name(), targets,
        cut ? fmt::format("most likely the end of '{}' is missing", shorter)
            : fmt::format("most likely they went out of step near line {}", slip));
  }

  LineReader source_, target_;
  std::vector<std::uint32_t> source_lengths_, target_lengths_;
};

}  // namespace

std::unique_ptr<PairSource> open_two_files(const CorpusPart& part, const FormatOptions& options) {
  return std::make_unique<TwoFiles>(part, options);
}

}  // namespace heed::data
