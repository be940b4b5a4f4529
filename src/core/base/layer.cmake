# The build information for machine.cpp. The commit is looked up at every build, because it changes
# without CMake being run.
set(generated ${CMAKE_BINARY_DIR}/generated)
add_custom_target(hexapla_commit BYPRODUCTS ${generated}/base/commit.h
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_CURRENT_SOURCE_DIR} -D OUT=${generated}/base/commit.h
    -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/commit.cmake
  COMMENT "" VERBATIM)
add_dependencies(${target} hexapla_commit)
target_include_directories(${target} PRIVATE ${generated})
set(build_type ${CMAKE_BUILD_TYPE})
if(HEXAPLA_SANITIZE)
  string(APPEND build_type " with ${HEXAPLA_SANITIZE}")
endif()
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/core/base/system/machine.cpp PROPERTIES COMPILE_DEFINITIONS
  "HEXAPLA_VERSION=\"${PROJECT_VERSION}\";HEXAPLA_BUILD_TYPE=\"${build_type}\";HEXAPLA_COMPILER=\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\"")
# Third-party templates, which take twice as long at -O3, and longest of all under the undefined-behavior sanitizer: a wrong
# call is still found on our side.
set(json_flags -O1)
if(HEXAPLA_SANITIZE MATCHES "undefined")
  list(APPEND json_flags -fno-sanitize=undefined)
endif()
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/core/base/json.cpp PROPERTIES COMPILE_OPTIONS "${json_flags}")
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/core/base/plugin.cpp PROPERTIES COMPILE_DEFINITIONS
  "HEXAPLA_PLUGIN_FOLDER=\"${HEXAPLA_PLUGIN_FOLDER}\"")
