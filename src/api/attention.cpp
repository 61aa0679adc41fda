#include "heed/attention.h"

#include "api/convert.h"
#include "api/guard.h"
#include "base/error.h"
#include "viz/heatmap.h"
#include "viz/raster.h"

namespace heed {
namespace {

std::string draw(const Attention& attention, const PictureOptions& options) {
  check<UsageError>(attention.has_weights(),
                    "there are no attention weights to draw; request them with TranslateOptions::attention, and use a "
                    "model that has attention");
  const viz::Heatmap map{.title = options.title,
                         .subtitle = options.subtitle,
                         .attention = api::to_internal(attention),
                         .links = api::to_internal(options.links)};
  return viz::heatmap_svg({&map, 1}, options.numbers);
}

}  // namespace

std::string attention_svg(const Attention& attention, const PictureOptions& options) {
  return api::guarded([&] { return draw(attention, options); });
}

std::string attention_png(const Attention& attention, const PictureOptions& options) {
  return api::guarded([&] { return viz::svg_to_png(draw(attention, options)); });
}

std::string attention_pdf(const Attention& attention, const PictureOptions& options) {
  return api::guarded([&] { return viz::svg_to_pdf(draw(attention, options)); });
}

}  // namespace heed
