// heed's own API: traces the decoder step by step for one sentence, optionally with forced words or attention weights.
#pragma once

#include "serve/routes.h"

namespace heed::serve::trace_api {

HttpResponse trace(RouteCall& call);

}  // namespace heed::serve::trace_api
