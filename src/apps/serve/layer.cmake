# Embeds the page and the lessons of the course in the program.
set(page_files_cpp ${CMAKE_BINARY_DIR}/generated/serve/page_files.cpp)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated/serve)
set(course ${CMAKE_CURRENT_SOURCE_DIR}/docs/course)
file(GLOB_RECURSE page_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/apps/serve/page/*)
file(GLOB lessons CONFIGURE_DEPENDS ${course}/*.md ${course}/zh/*.md)
list(APPEND page_files ${lessons})
add_custom_command(OUTPUT ${page_files_cpp}
  COMMAND ${CMAKE_COMMAND} -D FOLDER=${CMAKE_CURRENT_SOURCE_DIR}/src/apps/serve/page -D COURSE=${course} -D OUT=${page_files_cpp}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${page_files} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake COMMENT "The page of the server" VERBATIM)
target_sources(${target} PRIVATE ${page_files_cpp})
# Boost's coroutines: GCC 12 takes 70 s with the address and undefined-behavior sanitizers, minutes
# with optimization as well, and 40 s with the address sanitizer alone.
if(HEXAPLA_SANITIZE)
  set(connections -O0)
  if(HEXAPLA_SANITIZE_TESTS_QUICKLY)
    list(APPEND connections -fno-sanitize=undefined)
  endif()
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/apps/serve/http/server.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/src/apps/serve/http/session.cpp PROPERTIES COMPILE_OPTIONS "${connections}")
endif()
# Routes of LibreTranslate and of DeepL use the same words for their own things: not compiled together.
foreach(file libre files/files)
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/apps/serve/routes/${file}.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endforeach()
