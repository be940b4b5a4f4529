# libhexapla: all layers but the command line, as one shared library, with everything that other
# programs need to use it.
set(library_layers ${HEXAPLA_LAYERS})
foreach(folder IN LISTS HEXAPLA_PROGRAM_LAYERS)
  hexapla_target_name(${folder} layer)
  list(REMOVE_ITEM library_layers ${layer})
endforeach()
set(library_objects)
foreach(layer IN LISTS library_layers)
  list(APPEND library_objects $<TARGET_OBJECTS:${layer}>)
endforeach()

add_library(hexapla SHARED ${library_objects})
add_library(hexapla::hexapla ALIAS hexapla)
# All objects of the layers are above; linking their archives only adds the third-party libraries.
target_link_libraries(hexapla PRIVATE ${library_layers})
target_compile_features(hexapla INTERFACE cxx_std_17)  # for the headers
set(exports ${CMAKE_CURRENT_SOURCE_DIR}/cmake/exports.map)
target_link_options(hexapla PRIVATE -Wl,--version-script=${exports})
set_target_properties(hexapla PROPERTIES LINK_DEPENDS ${exports})
target_include_directories(hexapla INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(hexapla PROPERTIES
  LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION ${HEXAPLA_SOVERSION})
if(TARGET test_whole)
  add_dependencies(test_whole hexapla)  # one of its tests reads the file
endif()
if(TARGET hexapla_program)
  add_dependencies(hexapla_program hexapla)  # so that building the program is enough to install
endif()

# libhexapla.a, for those who ask for it (cmake --build ... --target hexapla_static), and for the test of an installation.
# Where it was built, it is installed, as hexapla::hexapla_static for CMake and hexapla-static for pkg-config.
add_library(hexapla_static STATIC EXCLUDE_FROM_ALL ${library_objects} ${HEXAPLA_KERNEL_OBJECTS})
add_library(hexapla::hexapla_static ALIAS hexapla_static)
set_target_properties(hexapla_static PROPERTIES OUTPUT_NAME hexapla LINKER_LANGUAGE CXX)
if(HEXAPLA_TESTS AND NOT HEXAPLA_SANITIZE)
  set_target_properties(hexapla_static PROPERTIES EXCLUDE_FROM_ALL OFF)
endif()
list(GET OpenMP_CXX_LIB_NAMES 0 openmp)  # gomp of GCC, omp of Clang
set(HEXAPLA_STATIC_LIBS -lsentencepiece -lsentencepiece_train -lutf8proc -lre2 -lfmt -lz -lzstd -llzma -lxxhash -lyaml-cpp
    -lgumbo -lexpat -lzip -lcmark-gfm-extensions -lcmark-gfm -l${openmp} -lpthread -ldl)
if(HEXAPLA_ONEDNN AND HEXAPLA_DNNL_LIBRARY)
  list(APPEND HEXAPLA_STATIC_LIBS -ldnnl)
endif()
target_link_libraries(hexapla_static INTERFACE ${HEXAPLA_STATIC_LIBS})
target_include_directories(hexapla_static INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)
target_compile_features(hexapla_static INTERFACE cxx_std_17)

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hexapla)
install(TARGETS hexapla EXPORT hexapla LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/hexapla DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT hexapla NAMESPACE hexapla:: FILE hexaplaTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/hexaplaConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/hexaplaConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/hexaplaConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hexaplaConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/hexaplaConfigVersion.cmake
  DESTINATION ${package_dir})
# The prefix in hexapla.pc is relative to the file, so that an installed tree may be moved (and
# --prefix may differ).
file(RELATIVE_PATH HEXAPLA_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(HEXAPLA_PC_LIBS -lhexapla)
configure_file(cmake/hexapla.pc.in ${CMAKE_CURRENT_BINARY_DIR}/hexapla.pc @ONLY)
list(JOIN HEXAPLA_STATIC_LIBS " " HEXAPLA_PC_LIBS)
string(PREPEND HEXAPLA_PC_LIBS "-l:libhexapla.a ")
configure_file(cmake/hexapla.pc.in ${CMAKE_CURRENT_BINARY_DIR}/hexapla-static.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hexapla.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# What the static library is found by goes along with it.
install(CODE "
  if(EXISTS \"${CMAKE_CURRENT_BINARY_DIR}/libhexapla.a\")
    file(INSTALL \"${CMAKE_CURRENT_BINARY_DIR}/libhexapla.a\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
    file(INSTALL \"${CMAKE_CURRENT_BINARY_DIR}/hexapla-static.pc\"
      DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig\")
  endif()")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(HEXAPLA_TESTS AND TARGET hexapla_program AND CMAKE_GENERATOR STREQUAL "Ninja")
  add_test(NAME install_needs_the_program_alone COMMAND ${CMAKE_COMMAND}
    -D BUILD=${CMAKE_CURRENT_BINARY_DIR} -D NINJA=${CMAKE_MAKE_PROGRAM}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/tests/installed_files.cmake)
endif()

# Tests the installed library: builds the examples, translates with one of them, trains a tagger.
if(HEXAPLA_TESTS AND TARGET hexapla_program)
  list(JOIN HEXAPLA_SANITIZE_FLAGS " " install_flags)
  add_test(NAME install_example COMMAND ${CMAKE_COMMAND}
    -D BUILD=${CMAKE_CURRENT_BINARY_DIR} -D SOURCE=${CMAKE_CURRENT_SOURCE_DIR}
    -D MODEL=${CMAKE_CURRENT_SOURCE_DIR}/tests/fixtures/toy_model.safetensors
    -D GENERATOR=${CMAKE_GENERATOR} -D COMPILER=${CMAKE_CXX_COMPILER} -D LIBDIR=${CMAKE_INSTALL_LIBDIR}
    "-DFLAGS=${install_flags}" -P ${CMAKE_CURRENT_SOURCE_DIR}/tests/install_test.cmake)
  set_tests_properties(install_example PROPERTIES TIMEOUT 900 ENVIRONMENT OMP_WAIT_POLICY=passive)
endif()
