// heed's own API: answers with everything that `heed translate --json` prints.
#pragma once

#include "serve/parameters.h"
#include "serve/routes.h"

namespace heed::serve::native_api {

HttpResponse translate(RouteCall& call);
HttpResponse models(RouteCall& call);

// The pair that a request names; with a single model, a request need not name it. ApiError if there is no such pair.
LanguagePair& find_pair(const Parameters& parameters, const LanguagePairs& pairs);

}  // namespace heed::serve::native_api
