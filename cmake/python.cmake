# The Python module hexapla._core, built on the public headers: all layers but the command line, in
# one file. pyproject.toml builds it into a wheel; in a build folder it is in python/hexapla.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "HEXAPLA_PYTHON needs nanobind: ${Python_EXECUTABLE} -m pip install nanobind")
endif()
find_package(nanobind 3 CONFIG REQUIRED)

file(GLOB python_sources CONFIGURE_DEPENDS python/src/*.cpp)
nanobind_add_module(_core STABLE_ABI NB_STATIC ${python_sources})
target_link_libraries(_core PRIVATE ${library_layers})
target_compile_options(_core PRIVATE ${HEXAPLA_WARNINGS})
target_include_directories(_core SYSTEM PRIVATE ${NB_DIR}/include)  # no warnings for third-party headers
set(exports ${CMAKE_CURRENT_SOURCE_DIR}/cmake/python.map)
target_link_options(_core PRIVATE -Wl,--version-script=${exports})
set_target_properties(_core PROPERTIES
  LINK_DEPENDS ${exports} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/hexapla EXCLUDE_FROM_ALL ON)
install(TARGETS _core LIBRARY DESTINATION hexapla COMPONENT python EXCLUDE_FROM_ALL)
if(TARGET hexapla_opencl)
  add_dependencies(_core hexapla_opencl)  # which it opens beside itself
  install(TARGETS hexapla_opencl LIBRARY DESTINATION hexapla COMPONENT python EXCLUDE_FROM_ALL)
endif()
