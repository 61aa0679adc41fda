// A survey as a report for people and as JSON. Functions without state.
#pragma once

#include <cstddef>
#include <string>

#include "base/json.h"
#include "survey/survey.h"

namespace heed::survey {

// Lines of at most max(width, 60) columns, except for long file names.
std::string survey_page(const Survey& survey, std::size_t width);

Json survey_json(const Survey& survey);

}  // namespace heed::survey
