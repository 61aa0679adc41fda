# Writes model/preset_files.h: the text of every presets/*.toml as a C++ array, so that the program needs no data files.
function(heed_embed_presets target)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/presets/*.toml)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(entries "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/model/preset_files.h CONTENT [=[
// Generated from presets/*.toml by cmake/presets.cmake.
#pragma once

#include <string_view>

namespace heed::model {

struct PresetFile {
  std::string_view name, text;
};

inline constexpr PresetFile kPresetFiles[] = {
@entries@};

}  // namespace heed::model
]=] @ONLY)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
