# Installs BUILD into a fresh prefix, builds copies of the examples against it outside the source tree, through
# find_package and one of them through pkg-config, too, and runs them; MODEL
# translates two lines.
foreach(name BUILD SOURCE MODEL GENERATOR COMPILER LIBDIR)
  if(NOT ${name})
    message(FATAL_ERROR "install_test.cmake needs -D ${name}=...")
  endif()
endforeach()
set(temporary $ENV{TMPDIR})
if(NOT temporary)
  execute_process(COMMAND mktemp -d -u OUTPUT_VARIABLE temporary OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  get_filename_component(temporary ${temporary} DIRECTORY)
endif()
string(RANDOM LENGTH 12 random)
set(work ${temporary}/hexapla-install-${random})
set(prefix ${work}/prefix)
set(failed FALSE)

function(step what)
  if(failed)
    return()
  endif()
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(STATUS "${what} failed (${status}): ${ARGN}\n${output}")
    set(failed TRUE PARENT_SCOPE)
  endif()
endfunction()

# PROGRAM must answer two lines of input with two lines.
function(translates program)
  if(failed)
    return()
  endif()
  file(WRITE ${work}/in.txt "a b c\nc b a\n")
  execute_process(COMMAND ${program} ${MODEL} INPUT_FILE ${work}/in.txt OUTPUT_FILE ${work}/out.txt
    RESULT_VARIABLE status ERROR_VARIABLE errors)
  file(READ ${work}/out.txt answer)
  string(REGEX MATCHALL "\n" ends "${answer}")
  list(LENGTH ends lines)
  if(NOT status EQUAL 0 OR NOT lines EQUAL 2)
    message(STATUS "${program} ended with ${status} and ${lines} lines instead of 2:\n${answer}${errors}")
    set(failed TRUE PARENT_SCOPE)
  endif()
endfunction()

# The accuracy that a line of output gives, "accuracy of the tagger: 96.3 %"; 0 where there is none.
function(accuracy_in output what result)
  set(${result} 0 PARENT_SCOPE)
  if(output MATCHES "accuracy ${what}: ([0-9.]+) %")
    set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()

# PROGRAM must learn more than a word tells without its context.
function(tags program)
  if(failed)
    return()
  endif()
  execute_process(COMMAND ${program} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  accuracy_in("${output}" "of the tagger" found)
  accuracy_in("${output}" "without context" baseline)
  if(NOT status EQUAL 0 OR NOT baseline GREATER 0 OR NOT found GREATER baseline)
    message(STATUS "${program} ended with ${status}, ${found} % of tags right and ${baseline} % without context:\n"
      "${output}${errors}")
    set(failed TRUE PARENT_SCOPE)
  endif()
endfunction()

# Outside the source tree, against the prefix.
macro(build_example name)
  file(COPY ${SOURCE}/examples/${name} DESTINATION ${work})
  step("configuring examples/${name}" ${CMAKE_COMMAND} -S ${work}/${name} -B ${work}/build_${name} -G ${GENERATOR}
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}")
  step("building examples/${name}" ${CMAKE_COMMAND} --build ${work}/build_${name})
endmacro()

step("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
step("the installed program" ${prefix}/bin/hexapla --version)
step("natural calls in C++17" ${COMPILER} -std=c++17 -fsyntax-only -x c++ -I ${prefix}/include
  ${SOURCE}/src/api/usage/test_natural_calls.h)
foreach(example translate threads tagger train)
  build_example(${example})
endforeach()
translates(${work}/build_translate/translate)
translates(${work}/build_threads/threads)
tags(${work}/build_tagger/tagger)
step("training from a callback" ${work}/build_train/train ${work}/run)  # it says by itself whether it has learned

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG AND NOT failed)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs hexapla OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags} ${FLAGS}")
  step("building with pkg-config" ${COMPILER} -std=c++17 ${work}/translate/main.cpp -o ${work}/by_pkg_config ${flags}
    -Wl,-rpath,${prefix}/${LIBDIR})
  translates(${work}/by_pkg_config)
  if(EXISTS ${prefix}/${LIBDIR}/libhexapla.a)
    execute_process(COMMAND ${PKG_CONFIG} --static --cflags --libs hexapla OUTPUT_VARIABLE flags
      OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "-lhexapla" "-l:libhexapla.a" flags "${flags} ${FLAGS}")
    separate_arguments(flags UNIX_COMMAND "${flags}")
    step("building with the static library" ${COMPILER} -std=c++17 ${work}/translate/main.cpp -o ${work}/static ${flags})
    translates(${work}/static)
  endif()
endif()

file(REMOVE_RECURSE ${work})
if(failed)
  message(FATAL_ERROR "the installed library cannot be used from outside; see above")
endif()
