# Tests of each folder, the program, the public library, installation.
set(backends hexapla_backend_reference hexapla_backend_cpu)
foreach(short base tensor backend backend_reference backend_cpu ops model decode train quantize inspect models report api)
  set(HEXAPLA_TEST_LIBS_${short} ${backends})
endforeach()
set(HEXAPLA_TEST_LIBS_backend_reference ${backends} hexapla_ops)
set(HEXAPLA_TEST_LIBS_backend_cpu ${backends} hexapla_ops)
foreach(target ${HEXAPLA_LAYERS})
  string(REPLACE "hexapla_" "" short ${target})
  hexapla_tests(${short})
endforeach()
# The kernels for bf16, int8 and tiles once more, on processors that have no such instructions.
add_library(hexapla_backend_cpu_emulated INTERFACE)
target_link_libraries(hexapla_backend_cpu_emulated INTERFACE ${HEXAPLA_TEST_LIBS_backend_cpu})
set(HEXAPLA_TEST_NAMES_backend_cpu_emulated
    TEST_PREFIX Emulated. TEST_FILTER "*bf16*:*Bf16*:CpuQuantized*")
hexapla_tests(backend_cpu_emulated)
if(TARGET test_backend_cpu_emulated)
  target_compile_definitions(test_backend_cpu_emulated PRIVATE HEXAPLA_X86_KERNELS HEXAPLA_EMULATED)
endif()
# What spans folders: tests/*_test.cpp, one program that may use every layer.
file(GLOB whole_tests CONFIGURE_DEPENDS tests/*_test.cpp)
add_library(hexapla_whole INTERFACE)
target_link_libraries(hexapla_whole INTERFACE ${HEXAPLA_LAYERS})
hexapla_tests(whole ${whole_tests})

if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/src/cli/main.cpp)
  add_executable(hexapla_program src/cli/main.cpp)
  set_target_properties(hexapla_program PROPERTIES OUTPUT_NAME hexapla)
  target_link_libraries(hexapla_program PRIVATE hexapla_cli hexapla_sanitizer_options)
  if(TARGET test_whole)
    add_dependencies(test_whole hexapla_program)  # its tests start the program
  endif()
  install(TARGETS hexapla_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/src/api)
  include(library)
endif()

find_package(Python3 COMPONENTS Interpreter QUIET)
if(HEXAPLA_BUILD_TESTS AND Python3_FOUND)
  add_test(NAME checks_find_faults COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/scripts/checks_test.py)
endif()
