# heed_compile_together(TARGET): compiles several files of a target as one, so that the headers they share are read once;
# a full build takes less than half the time. In return, an edit recompiles the neighboring files too, and a missing
# include may go unnoticed: -DHEED_UNITY=OFF (the presets debug and no-unity) compiles each file on its own.
function(heed_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HEED_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# Makes one static library per module of src/modules.txt, from all .cpp files below the module's folder, linked to exactly
# the modules that it may use. A module without sources becomes an interface library.
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
      target_include_directories(heed_${module} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
      target_link_libraries(heed_${module} PUBLIC ${uses})
      target_compile_features(heed_${module} PUBLIC cxx_std_20)
      if(NOT module STREQUAL kernels)  # Highway already compiles each of its files several times
        heed_compile_together(heed_${module})
      endif()
    else()
      add_library(heed_${module} INTERFACE)
      target_include_directories(heed_${module} INTERFACE ${PROJECT_SOURCE_DIR}/src)
      target_link_libraries(heed_${module} INTERFACE ${uses})
      target_compile_features(heed_${module} INTERFACE cxx_std_20)
    endif()
    list(APPEND modules ${module})
  endforeach()
  set(HEED_MODULES ${modules} CACHE INTERNAL "The modules of src/modules.txt, lowest first")
endfunction()

# heed_tests(MODULE [LIBRARIES…]): builds every *_test.cpp below tests/MODULE into one program, which ctest runs.
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
    # The test's own code is not checked for undefined behavior: it then compiles in two thirds of the time.
    target_compile_options(test_${module} PRIVATE -fno-sanitize=undefined)
  endif()
  add_test(NAME ${module} COMMAND test_${module} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
