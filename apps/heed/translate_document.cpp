#include "translate_document.h"

#include <algorithm>

#include "base/byte_source.h"
#include "base/terminal.h"
#include "command.h"
#include "interrupt.h"
#include "progress.h"
#include "text_arguments.h"

namespace heed::cli {
namespace {

struct DocumentInterrupted {};

// Translates the segments of a document in blocks, so that an interrupt need not wait for all of them.
class SegmentTranslator {
 public:
  SegmentTranslator(translate::TextLayer& layer, const DocumentJob& job) : layer_(layer), options_(job.translate) {
    if (job.shows_progress) progress_.emplace("translating", 0, "tokens");
    options_.on_progress = [this](std::size_t done, std::size_t all) {
      if (progress_)
        progress_->update(0, tokens_ + static_cast<std::int64_t>(done), fmt::format("{} segments", segments_));
      if (done == all) tokens_ += static_cast<std::int64_t>(all);
      return interrupted() == 0;
    };
  }

  std::vector<text::MarkedText> run(std::span<const text::MarkedText> texts) {
    constexpr std::size_t kBytes = 4 << 20;
    const std::size_t most = 50 * static_cast<std::size_t>(options_.batch);
    std::vector<text::MarkedText> results;
    while (results.size() < texts.size()) {
      std::size_t count = 0, bytes = 0;
      const std::span<const text::MarkedText> rest = texts.subspan(results.size());
      while (count < std::min(most, rest.size()) && bytes < kBytes) bytes += rest[count++].text.size();
      std::ranges::move(layer_.translate(rest.first(count), options_), std::back_inserter(results));
      segments_ += static_cast<std::int64_t>(count);
      if (interrupted() != 0) throw DocumentInterrupted();
    }
    return results;
  }

  void finish() {
    if (progress_) progress_->finish();
  }
  void clear() {
    if (progress_) progress_->clear();
  }

 private:
  translate::TextLayer& layer_;
  translate::TranslateOptions options_;
  std::optional<Progress> progress_;
  std::int64_t segments_ = 0, tokens_ = 0;
};

}  // namespace

void declare_document_format(Options& o, std::string& format) {
  std::vector<std::string> names = {"text"};
  for (const document::DocumentFormat& row : document::document_formats()) names.emplace_back(row.name);
  o.flag("format", format,
         "input format; default: from the file's extension; text for standard input, and for --input with --shard-dir "
         "or --shard",
         choices(std::move(names)))
      .common();
}

const document::DocumentFormat* choose_document_format(const std::string& format, const std::string* path) {
  if (!format.empty()) return document::find_document_format(format);
  if (path == nullptr || text_argument_files(*path).empty()) return nullptr;
  std::string_view name = *path;
  for (const std::string_view ending : {".gz", ".xz", ".zst"})
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  return document::detect_document_format(name);
}

bool translate_document(translate::TextLayer& layer, const DocumentJob& job, const document::Write& write) {
  ByteSource input(job.path, job.encoding);
  SegmentTranslator translator(layer, job);
  try {
    job.format.translate(input, write, job.document, [&](std::span<const text::MarkedText> texts) {
      if (!input.note().empty()) {
        translator.clear();
        print_note("{}", input.note());
      }
      return translator.run(texts);
    });
  } catch (const DocumentInterrupted&) {
    return false;
  }
  translator.finish();
  return true;
}

}  // namespace heed::cli
