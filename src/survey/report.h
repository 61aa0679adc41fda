// A survey as a page for a person and as JSON for a program. Free of state.
#pragma once

#include <cstddef>
#include <string>

#include "base/json.h"
#include "survey/survey.h"

namespace heed::survey {

// Lines of at most `width` columns where the words allow it (at least 60 are taken).
std::string survey_page(const Survey& survey, std::size_t width);

Json survey_json(const Survey& survey);

}  // namespace heed::survey
