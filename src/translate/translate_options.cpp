#include "translate/translate_options.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "base/shared_options.h"

namespace heed::translate {

void declare_batch(Options& o, TranslateOptions& v) {
  o.flag("batch", v.batch, "number of sentences computed together; affects only the speed", range(1, 100000))
      .may_change();
}

void declare_shortlist(Options& o, std::string& value, std::string_view by_default) {
  o.flag("shortlist", value,
         fmt::format("choose words only among those that may translate the words of the sentence, which is faster; "
                     "default: {}",
                     by_default),
         choices({"on", "off"}))
      .value("on|off")
      .common();
}

void check_shortlist(const std::string& value, bool has_shortlist, const std::string& model) {
  check<UsageError>(value != "on" || has_shortlist,
                    "--shortlist on: {} has no shortlist; add one with `heed shortlist {} --train FILE…`, or leave "
                    "--shortlist out",
                    model, model);
}

void declare(Options& o, TranslateOptions& v) {
  declare(o, v.search);
  o.group("Length");
  o.flag("length-ratio", v.length_ratio,
         "the translation may have RATIO x source tokens + EXTRA tokens; this is the RATIO", range(0, 100));
  o.flag("length-extra", v.length_extra, "the EXTRA in the formula of --length-ratio, in tokens", range(1, 100000));
  o.flag("max-source-length", v.max_source_length,
         "longest sentence in tokens (with --segment lines: longest line); anything longer is translated in parts, a "
         "line split at the ends of its sentences if possible; no effect with --segment never",
         range(1, 100000));
  o.group("Performance");
  declare_batch(o, v);
  declare_threads(o, v.threads);
}

void check_options(const TranslateOptions& o, bool has_attention) {
  check_options(o.search, has_attention);
  check<UsageError>(o.batch >= 1, "the batch size is {}, expected at least 1", o.batch);
  check<UsageError>(o.threads >= 0, "the number of threads is {}, expected 0 (one per core) or more", o.threads);
  check<UsageError>(o.max_source_length >= 1, "the maximum source length is {} tokens, expected at least 1",
                    o.max_source_length);
  check<UsageError>(o.length_ratio >= 0 && std::isfinite(o.length_ratio) && o.length_extra >= 1,
                    "the length ratio is {} and the length extra {}, expected at least 0 and at least 1",
                    o.length_ratio, o.length_extra);
  check<UsageError>(!o.unknown.replace || has_attention,
                    "replacing unknown words needs attention, which this model does not have; leave out --unknown");
}

Index max_length(const TranslateOptions& options, std::size_t source, std::size_t prefix) {
  const double bound = std::ceil(options.length_ratio * static_cast<double>(source)) + options.length_extra;
  return std::max(static_cast<Index>(std::min(bound, 1e6)), static_cast<Index>(prefix) + options.length_extra);
}

}  // namespace heed::translate
