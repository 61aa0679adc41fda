// heed's own API: everything that `heed translate --json` tells about a translation.
#pragma once

#include "serve/routes.h"

namespace heed::serve::native_api {

HttpResponse translate(RouteCall& call);
HttpResponse models(RouteCall& call);

}  // namespace heed::serve::native_api
