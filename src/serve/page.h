// The server's web pages: the translator, and the page that shows how a sentence is translated. All answer with status
// 404 if the server was started with --no-page.
#pragma once

#include "serve/routes.h"

namespace heed::serve::page {

HttpResponse translator(RouteCall& call);
HttpResponse icon(RouteCall& call);
// The page of `heed attend` that shows the decoder's steps for one sentence.
HttpResponse look(RouteCall& call);

}  // namespace heed::serve::page
