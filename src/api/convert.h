// Between the values of the public API and those of the library.
#pragma once

#include "alignment/error_rate.h"
#include "alignment/links.h"
#include "heed/alignment.h"
#include "heed/attention.h"
#include "heed/metrics.h"
#include "metrics/metric.h"
#include "text/attention_matrix.h"

namespace heed::api {

Attention to_public(text::AttentionMatrix matrix);
text::AttentionMatrix to_internal(const Attention& attention);

Alignment to_public(const alignment::Alignment& links);
alignment::Alignment to_internal(const Alignment& links);
std::vector<alignment::Alignment> to_internal(const std::vector<Alignment>& all);
AlignmentScore to_public(const alignment::AlignmentScore& score);

MetricScore to_public(const metrics::CorpusScore& scored, bool sentences);

}  // namespace heed::api
