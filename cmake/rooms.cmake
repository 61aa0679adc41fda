# heed_compile_together(TARGET): several files of a target as one, so that what they all include is read once: a full
# build takes less than half the time. An edit rebuilds its neighbours with it, and a file that forgets an include may
# not notice: -DHEED_UNITY=OFF, as in the debug preset, compiles file by file.
function(heed_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HEED_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# Reads src/rooms.txt and makes one static library a room, linked to exactly the rooms it may use.
# A room is every .cpp below its folder. Rooms without sources yet are interface libraries.
function(heed_rooms)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/rooms.txt)
  file(STRINGS ${CMAKE_SOURCE_DIR}/src/rooms.txt lines REGEX "^[a-z]+:")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z]+):(.*)$" _ "${line}")
    set(room ${CMAKE_MATCH_1})
    separate_arguments(uses UNIX_COMMAND "${CMAKE_MATCH_2}")
    list(TRANSFORM uses PREPEND heed_)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*.cpp)
    if(sources)
      add_library(heed_${room} STATIC ${sources})
      target_include_directories(heed_${room} PUBLIC ${CMAKE_SOURCE_DIR}/src)
      target_link_libraries(heed_${room} PUBLIC ${uses})
      if(NOT room STREQUAL kernels)  # Highway compiles each of its files several times over
        heed_compile_together(heed_${room})
      endif()
    else()
      add_library(heed_${room} INTERFACE)
      target_include_directories(heed_${room} INTERFACE ${CMAKE_SOURCE_DIR}/src)
      target_link_libraries(heed_${room} INTERFACE ${uses})
    endif()
    list(APPEND rooms ${room})
  endforeach()
  set(HEED_ROOMS ${rooms} CACHE INTERNAL "The rooms of src/rooms.txt, lowest first")
endfunction()

# heed_tests(ROOM [libraries…]): every *_test.cpp below tests/ROOM as one program, run by ctest.
function(heed_tests room)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${room}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${room} ${sources})
  target_include_directories(test_${room} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(test_${room} PRIVATE heed_${room} ${ARGN} GTest::gtest_main)
  target_compile_options(test_${room} PRIVATE ${HEED_LIGHT_OPTIONS})
  heed_compile_together(test_${room})
  if(HEED_SANITIZE)
    # What a test itself does is watched by the address sanitizer only: it compiles in two thirds of the time.
    target_compile_options(test_${room} PRIVATE -fno-sanitize=undefined)
  endif()
  add_test(NAME ${room} COMMAND test_${room} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endfunction()
