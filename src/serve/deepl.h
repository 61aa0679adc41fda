// The part of DeepL's API that translates text: the same paths, fields and error format.
#pragma once

#include "serve/routes.h"

namespace heed::serve::deepl {

HttpResponse translate(RouteCall& call);
HttpResponse languages(RouteCall& call);
HttpResponse usage(RouteCall& call);

}  // namespace heed::serve::deepl
