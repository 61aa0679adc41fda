// The API of LibreTranslate: the same paths, fields, statuses and error texts.
#pragma once

#include "serve/routes.h"

namespace heed::serve::libretranslate {

inline constexpr std::string_view kUploadPath = "/translate_file", kDownloadPath = "/download_file/";

HttpResponse translate(RouteCall& call);
HttpResponse translate_file(RouteCall& call);
HttpResponse download_file(RouteCall& call);
HttpResponse detect(RouteCall& call);
HttpResponse languages(RouteCall& call);
HttpResponse settings(RouteCall& call);
HttpResponse suggest(RouteCall& call);

}  // namespace heed::serve::libretranslate
