# Installs BUILD into a fresh prefix, builds a copy of examples/translate against it outside the source tree, once
# through find_package and once through pkg-config, and translates two lines with MODEL. examples/tagger is built and
# run, too.
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

step("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
step("the installed program" ${prefix}/bin/hexapla --version)
file(COPY ${SOURCE}/examples/translate DESTINATION ${work})
step("configuring the example" ${CMAKE_COMMAND} -S ${work}/translate -B ${work}/build -G ${GENERATOR}
  -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}")
step("building the example" ${CMAKE_COMMAND} --build ${work}/build)
translates(${work}/build/translate)

file(COPY ${SOURCE}/examples/tagger DESTINATION ${work})
step("configuring the tagger" ${CMAKE_COMMAND} -S ${work}/tagger -B ${work}/build_tagger -G ${GENERATOR}
  -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}")
step("building the tagger" ${CMAKE_COMMAND} --build ${work}/build_tagger)
tags(${work}/build_tagger/tagger)

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG AND NOT failed)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs hexapla OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags} ${FLAGS}")
  step("building with pkg-config" ${COMPILER} -std=c++17 ${work}/translate/main.cpp -o ${work}/by_pkg_config ${flags}
    -Wl,-rpath,${prefix}/${LIBDIR})
  translates(${work}/by_pkg_config)
endif()

file(REMOVE_RECURSE ${work})
if(failed)
  message(FATAL_ERROR "the installed library cannot be used from outside; see above")
endif()
