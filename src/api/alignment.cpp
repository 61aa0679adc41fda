#include "heed/alignment.h"

#include "alignment/attention_links.h"
#include "alignment/symmetrize.h"
#include "alignment/text_aligner.h"
#include "api/convert.h"
#include "api/guard.h"
#include "base/error.h"
#include "base/thread_pool.h"

namespace heed {

Alignments learn_alignments(const std::vector<std::string>& sources, const std::vector<std::string>& targets,
                            const AlignOptions& options) {
  api::CallbackException callback;
  Alignments result = api::guarded([&] {
    check<UsageError>(sources.size() == targets.size(), "{} sources and {} targets, expected one target per source",
                      sources.size(), targets.size());
    const alignment::LinkWords words(
        {.source_language = options.source_language, .target_language = options.target_language}, options.pretokenized);
    alignment::TextAlignerOptions aligner{.threads = worker_count(options.threads)};
    if (options.on_progress)
      aligner.on_progress = [&](std::size_t done, std::size_t all) {
        callback.run([&] { return options.on_progress(done, all); }, false);
      };
    const alignment::AlignedTexts aligned =
        alignment::align_texts(sources, targets, *words.source, *words.target, aligner);
    Alignments converted;
    for (const alignment::Alignment& links : aligned.links) converted.links.push_back(api::to_public(links));
    converted.too_long = aligned.too_long;
    return converted;
  });
  callback.rethrow();
  return result;
}

Alignment symmetrize_links(const Alignment& forward, const Alignment& backward, const std::string& method) {
  return api::guarded(
      [&] { return api::to_public(symmetrize(method, api::to_internal(forward), api::to_internal(backward))); });
}

std::string format_links(const Alignment& links) {
  return api::guarded([&] { return format_alignment(api::to_internal(links)); });
}

Alignment parse_links(const std::string& line, int base) {
  return api::guarded([&] {
    check<UsageError>(base == 0 || base == 1, "words are counted from {}, expected 0 or 1", base);
    return api::to_public(alignment::parse_alignment(line, base, "the links"));
  });
}

AlignmentScore score_links(const std::vector<Alignment>& links, const std::vector<Alignment>& gold) {
  return api::guarded(
      [&] { return api::to_public(score_alignments(api::to_internal(links), api::to_internal(gold))); });
}

}  // namespace heed
