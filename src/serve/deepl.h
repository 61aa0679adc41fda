// The text translation part of DeepL's API: the same paths, fields and error format.
#pragma once

#include "serve/routes.h"

namespace heed::serve::deepl {

HttpResponse translate(RouteCall& call);
HttpResponse languages(RouteCall& call);
HttpResponse usage(RouteCall& call);

}  // namespace heed::serve::deepl
