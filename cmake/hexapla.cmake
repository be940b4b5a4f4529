# hexapla_layer(folder deps...) makes from a folder of the last hexapla_root() and its subfolders:
#   hexapla_<folder>       a static library of every .cpp that is not a test
#   test_<folder>          a test program of every *_test.cpp, with its cases registered in ctest
# Where HEXAPLA_NAME_<folder> is set, that is the name. The external libraries of a folder are in
# cmake/dependencies.cmake, as HEXAPLA_LIBS_<name>.

set(HEXAPLA_WARNINGS -Wall -Wextra -Wshadow -Wno-missing-field-initializers)
if(HEXAPLA_WERROR)
  list(APPEND HEXAPLA_WARNINGS -Werror)
endif()
# What x86-64 does: plain char has a sign, and a * b + c is rounded twice, so that files are read and numbers computed
# alike. Kernels but the portable ones fuse the two operations (src/core/backend/cpu/layer.cmake).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  add_compile_options(-fsigned-char -ffp-contract=off)
endif()
# Most test code runs once: optimizing it takes longer than running it unoptimized.
set(HEXAPLA_TEST_FLAGS -O0)
if(HEXAPLA_SANITIZE MATCHES "address" AND HEXAPLA_SANITIZE_TESTS_QUICKLY)
  list(APPEND HEXAPLA_TEST_FLAGS -fno-sanitize=undefined "SHELL:--param asan-instrumentation-with-call-threshold=0")
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)  # some libraries bring the flag, and precompiled headers must have the same
  list(APPEND HEXAPLA_TEST_FLAGS -pthread)
endif()
# Layers with much computation are optimized even under the sanitizers; the others compile in half
# the time without, and their checks are the same.
set(HEXAPLA_COMPUTING_LAYERS base tensor backend backend_reference backend_cpu ops model text data evaluate decode)
# Layers around the computation, where optimizing takes a third of the compile time and saves nobody time.
set(HEXAPLA_OUTER_LAYERS decode_opened inspect api api_program convert text_document serve lab cli)
set(HEXAPLA_LAYERS "" CACHE INTERNAL "")
if(HEXAPLA_TESTS)
  enable_testing()
  include(GoogleTest)
  # Precompiles the headers that every test includes. Tests reuse them from this program, which has
  # their flags.
  add_executable(hexapla_test_headers EXCLUDE_FROM_ALL cmake/test_headers.cpp)
  target_compile_options(hexapla_test_headers PRIVATE ${HEXAPLA_TEST_FLAGS} ${HEXAPLA_WARNINGS} -fpch-preprocess)
  target_precompile_headers(hexapla_test_headers PRIVATE cmake/test_headers.h)
  add_library(hexapla_test_paths STATIC cmake/test_paths.cpp)
  add_library(hexapla_test_locale OBJECT cmake/test_locale.cpp)
  target_include_directories(hexapla_test_paths PRIVATE src/core)
  target_compile_definitions(hexapla_test_paths PRIVATE
    HEXAPLA_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}" HEXAPLA_BINARY_DIR="${CMAKE_BINARY_DIR}")
endif()

# HEXAPLA_UNITY_BUILD (all, tests, or none): compiles files of a target together, so that shared headers and templates
# are compiled once. Names in anonymous namespaces are unique in a layer for it (scripts/check_source.py).
set(HEXAPLA_UNITY_BUILD all CACHE STRING "Files compiled together: all, tests, or none")
if(HEXAPLA_UNITY_BUILD STREQUAL "")  # a preset names an environment variable that is not set
  set_property(CACHE HEXAPLA_UNITY_BUILD PROPERTY VALUE all)
endif()
set_property(CACHE HEXAPLA_UNITY_BUILD PROPERTY STRINGS none tests all)
set(HEXAPLA_UNITY_FILES 16)
function(hexapla_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${HEXAPLA_UNITY_FILES})
  # For names in other files of the unit; the second is a warning of GCC alone.
  target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# The library exports only what HEXAPLA_API marks (include/hexapla/export.h).
function(hexapla_hide_symbols target)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

function(hexapla_target_name folder out)
  string(REPLACE "/" "_" name ${folder})
  if(DEFINED HEXAPLA_NAME_${name})
    set(name ${HEXAPLA_NAME_${name}})
  endif()
  set(${out} hexapla_${name} PARENT_SCOPE)
endfunction()

# hexapla_root(root others...): where the layers that follow are. scripts/check_layers.py reads the others.
macro(hexapla_root root)
  set(HEXAPLA_ROOT ${root})
endmacro()

# hexapla_plugin(folder deps...): a shared object that the program opens, which the folder's plugin.cmake makes.
function(hexapla_plugin folder)
  if(NOT folder IN_LIST HEXAPLA_OMITTED)
    include(src/${HEXAPLA_ROOT}/${folder}/plugin.cmake)
  endif()
endfunction()

# Layers that the program has and the library does not.
set(HEXAPLA_PROGRAM_LAYERS cli lib/program train/cluster/mpi mpi lab serve)
set(HEXAPLA_OMITTED)
if(NOT HEXAPLA_CLI)
  list(APPEND HEXAPLA_OMITTED ${HEXAPLA_PROGRAM_LAYERS})
endif()
if(NOT HEXAPLA_SERVER)
  list(APPEND HEXAPLA_OMITTED serve)
endif()

function(hexapla_layer folder)
  if(folder IN_LIST HEXAPLA_OMITTED)
    return()
  endif()
  list(REMOVE_ITEM ARGN ${HEXAPLA_OMITTED})
  hexapla_target_name(${folder} target)
  string(REPLACE "hexapla_" "" short ${target})
  set(include_root src/${HEXAPLA_ROOT})
  if(folder MATCHES "^${HEXAPLA_ROOT}(/|$)")  # lib: its includes name it
    set(include_root src)
  endif()
  set(place ${include_root}/${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${place}/*.cpp)
  string(REPLACE "/" "_" apart ${folder})
  foreach(inner ${HEXAPLA_APART_${apart}})
    list(FILTER sources EXCLUDE REGEX "/${place}/${inner}/")
  endforeach()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cpp$")
  if(NOT sources)
    set(sources ${CMAKE_CURRENT_SOURCE_DIR}/cmake/empty.cpp)
  endif()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/${include_root} ${CMAKE_CURRENT_SOURCE_DIR}/include)
  target_compile_options(${target} PRIVATE ${HEXAPLA_WARNINGS})
  hexapla_hide_symbols(${target})
  if(HEXAPLA_SANITIZE AND HEXAPLA_SANITIZE_TESTS_QUICKLY AND NOT short IN_LIST HEXAPLA_COMPUTING_LAYERS)
    target_compile_options(${target} PRIVATE -O0)
  elseif(short IN_LIST HEXAPLA_OUTER_LAYERS)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(HEXAPLA_UNITY_BUILD STREQUAL "all")
    hexapla_unity(${target})
  endif()
  foreach(dep ${ARGN})
    hexapla_target_name(${dep} dep_target)
    target_link_libraries(${target} PUBLIC ${dep_target})
  endforeach()
  target_link_libraries(${target} PUBLIC ${HEXAPLA_LIBS_${short}})
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${place}/layer.cmake)
    include(${place}/layer.cmake)  # special rules of this folder (may use `target` and `place`)
  endif()
  set(HEXAPLA_LAYERS ${HEXAPLA_LAYERS} ${target} CACHE INTERNAL "")
  set(HEXAPLA_TEST_SOURCES_${short} ${tests} CACHE INTERNAL "")
endfunction()

# Tests of a folder may use all layers of the program (a layer test needs a backend, for example).
function(hexapla_tests short)
  set(sources ${HEXAPLA_TEST_SOURCES_${short}} ${ARGN})
  if(NOT HEXAPLA_TESTS OR NOT sources)
    return()
  endif()
  add_executable(test_${short} ${sources})
  target_compile_options(test_${short} PRIVATE ${HEXAPLA_TEST_FLAGS} ${HEXAPLA_WARNINGS} -fpch-preprocess)
  target_precompile_headers(test_${short} REUSE_FROM hexapla_test_headers)
  if(HEXAPLA_UNITY_BUILD MATCHES "^(tests|all)$" AND NOT short MATCHES "emulated")  # its files belong to another target
    hexapla_unity(test_${short})
  endif()
  target_link_libraries(test_${short} PRIVATE hexapla_${short} ${HEXAPLA_TEST_LIBS_${short}}
    hexapla_test_paths $<TARGET_OBJECTS:hexapla_test_locale> GTest::gmock GTest::gtest GTest::gtest_main hexapla_sanitizer_options)
  # Several tests run at the same time: waiting threads must not occupy cores.
  gtest_discover_tests(test_${short} ${HEXAPLA_TEST_NAMES_${short}}
    DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT 900 ENVIRONMENT OMP_WAIT_POLICY=passive)
endfunction()
