# heed_compile_together(TARGET): several files of a target as one, so that what they all include is read once: a full
# build takes less than half the time. An edit rebuilds its neighbors with it, and a file that forgets an include may
# not notice: -DHEED_UNITY=OFF, as in the debug preset, compiles file by file.
function(heed_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HEED_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# Reads src/modules.txt and makes one static library per module, linked to exactly the modules it may use.
# A module is every .cpp below its folder. Modules without sources yet are interface libraries.
function(heed_modules)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/modules.txt)
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/modules.txt lines REGEX "^[a-z]+:")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z]+):(.*)$" _ "${line}")
    set(module ${CMAKE_MATCH_1})
    separate_arguments(uses UNIX_COMMAND "${CMAKE_MATCH_2}")
    list(TRANSFORM uses PREPEND heed_)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${module}/*.cpp)
    if(sources)
      add_library(heed_${module} STATIC ${sources})
      target_include_directories(heed_${module} PUBLIC ${PROJECT_SOURCE_DIR}/src)
      target_link_libraries(heed_${module} PUBLIC ${uses})
      if(NOT module STREQUAL kernels)  # Highway compiles each of its files several times over
        heed_compile_together(heed_${module})
      endif()
    else()
      add_library(heed_${module} INTERFACE)
      target_include_directories(heed_${module} INTERFACE ${PROJECT_SOURCE_DIR}/src)
      target_link_libraries(heed_${module} INTERFACE ${uses})
    endif()
    list(APPEND modules ${module})
  endforeach()
  set(HEED_MODULES ${modules} CACHE INTERNAL "The modules of src/modules.txt, lowest first")
endfunction()

# heed_tests(MODULE [libraries…]): every *_test.cpp below tests/MODULE as one program, run by ctest.
function(heed_tests module)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${module}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${module} ${sources})
  target_include_directories(test_${module} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(test_${module} PRIVATE heed_${module} ${ARGN} GTest::gtest_main)
  target_compile_options(test_${module} PRIVATE ${HEED_LIGHT_OPTIONS})
  heed_compile_together(test_${module})
  if(HEED_SANITIZE)
    # What a test itself does is watched by the address sanitizer only: it compiles in two thirds of the time.
    target_compile_options(test_${module} PRIVATE -fno-sanitize=undefined)
  endif()
  add_test(NAME ${module} COMMAND test_${module} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
