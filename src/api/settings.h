// Applies the settings of the public API (heed/settings.h) to the declared options of the library.
#pragma once

#include "base/options.h"
#include "heed/settings.h"

namespace heed::api {

// UsageError for an unknown name or a bad value.
void apply_settings(Options& options, const Settings& settings);

}  // namespace heed::api
