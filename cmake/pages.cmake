# Writes viz/page_files.h: every file of src/viz/page as a C++ array, so that the program needs no data files. Each comes
# with its SHA-256 hash, which a page's content security policy uses to permit exactly this script.
function(heed_embed_pages target)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/viz/page/*.css ${PROJECT_SOURCE_DIR}/src/viz/page/*.js
    ${PROJECT_SOURCE_DIR}/src/viz/page/*.svg)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(entries "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    file(READ ${file} text)
    file(SHA256 ${file} digest)
    string(APPEND entries "    {\"${name}\", \"${digest}\", R\"page(${text})page\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/viz/page_files.h CONTENT [=[
// Generated from src/viz/page by cmake/pages.cmake.
#pragma once

#include <string_view>

namespace heed::viz {

struct PageFile {
  std::string_view name, sha256, text;
};

inline constexpr PageFile kPageFiles[] = {
@entries@};

}  // namespace heed::viz
]=] @ONLY)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
