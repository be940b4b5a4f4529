# Tests of each folder, the program, the public library, installation.
set(backends hexapla_backend_reference hexapla_backend_cpu hexapla_backend_device)
foreach(short base tensor backend backend_reference backend_cpu backend_device ops model decode_opened train inspect lab api serve)
  set(HEXAPLA_TEST_LIBS_${short} ${backends})
endforeach()
set(HEXAPLA_TEST_LIBS_backend_reference ${backends} hexapla_ops)
set(HEXAPLA_TEST_LIBS_backend_cpu ${backends} hexapla_ops)
list(APPEND HEXAPLA_TEST_LIBS_backend_opencl hexapla_backend_reference)
set(HEXAPLA_TEST_LIBS_convert ${backends} hexapla_decode_opened)
set(HEXAPLA_TEST_LIBS_decode ${backends} hexapla_train hexapla_decode_opened)
foreach(target ${HEXAPLA_LAYERS})
  string(REPLACE "hexapla_" "" short ${target})
  hexapla_tests(${short})
endforeach()
# Tests the kernels for bf16, int8 and tiles on processors without these instructions, too.
add_library(hexapla_backend_cpu_emulated INTERFACE)
target_link_libraries(hexapla_backend_cpu_emulated INTERFACE ${HEXAPLA_TEST_LIBS_backend_cpu})
set(HEXAPLA_TEST_NAMES_backend_cpu_emulated
    TEST_PREFIX Emulated. TEST_FILTER "*bf16*:*Bf16*:CpuQuantized*")
hexapla_tests(backend_cpu_emulated)
if(TARGET test_backend_cpu_emulated)
  target_compile_definitions(test_backend_cpu_emulated PRIVATE HEXAPLA_X86_KERNELS HEXAPLA_EMULATED)
endif()
foreach(test test_backend_opencl test_backend_device test_model)
  if(TARGET hexapla_opencl AND TARGET ${test})
    add_dependencies(${test} hexapla_opencl)  # which they open beside themselves
  endif()
endforeach()
# Tests across folders: tests/*_test.cpp, one program that may use every layer.
file(GLOB whole_tests CONFIGURE_DEPENDS tests/*_test.cpp)
add_library(hexapla_whole INTERFACE)
target_link_libraries(hexapla_whole INTERFACE ${HEXAPLA_LAYERS})
hexapla_tests(whole ${whole_tests})

# Tests again on a device whose memory the host cannot access (src/core/backend/guarded): those whose backend is
# make_backend()'s.
function(hexapla_guarded_tests short filter)
  if(TARGET test_${short})
    add_test(NAME guarded_${short} COMMAND test_${short} --gtest_filter=${filter})
    set_tests_properties(guarded_${short} PROPERTIES TIMEOUT 1800
                         ENVIRONMENT "HEXAPLA_DEVICE=guarded;OMP_WAIT_POLICY=passive")
  endif()
endfunction()
# Left out: a test of the processor's name, and one of integers, which a device converts to f32.
hexapla_guarded_tests(api "-TrainerApi.AutoMeansThePrecisionThatTheRunStartedWith:\
GivenOptions.APrecisionDoesNothingToIntegers")
hexapla_guarded_tests(decode "TranslatorTest.*:TextScorerTest.*:PutBackTest.*:CapitalsTest.*:NoBlanks.*:\
ConstraintsTest.*:RescoringTest.*:AlignText.*:DecodeLoop.*:LiveQueue.*:*LiveTranslator*")
# Left out: tests of experts, shards and other parts that a device refuses.
hexapla_guarded_tests(train "Training.*:Resume.*:Ending.*:Failure.*:ValidationOf.*:Recorded.*:RunVocabulary.*:RunFiles.*:\
Memory.*:-Memory.AnnouncedPeakOfTheArenaIsTheRealOne")

if(HEXAPLA_CLI)
  add_executable(hexapla_program src/apps/cli/main.cpp)
  set_target_properties(hexapla_program PROPERTIES OUTPUT_NAME hexapla)
  target_link_libraries(hexapla_program PRIVATE hexapla_cli hexapla_sanitizer_options)
  if(TARGET test_whole)
    add_dependencies(test_whole hexapla_program)  # its tests run the program
  endif()
  if(TARGET hexapla_opencl)
    add_dependencies(hexapla_program hexapla_opencl)
  endif()
  if(TARGET hexapla_mpi)
    add_dependencies(hexapla_program hexapla_mpi)  # which opens it beside itself
  endif()
  install(TARGETS hexapla_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  include(manual)
endif()

include(library)

find_package(Python3 COMPONENTS Interpreter QUIET)
if(HEXAPLA_TESTS AND Python3_FOUND)
  add_test(NAME checks_find_faults COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/scripts/checks_test.py)
endif()
