# HEXAPLA_SANITIZE: builds everything with these sanitizers. A finding ends the program with an
# error. The runtime options and suppressions for third-party libraries are compiled in
# (sanitizer_options.cpp), so that they apply however a program is started. Programs link
# hexapla_sanitizer_options.
add_library(hexapla_sanitizer_options INTERFACE)
if(NOT HEXAPLA_SANITIZE)
  return()
endif()

string(REPLACE " " "" sanitizers "${HEXAPLA_SANITIZE}")
string(REPLACE "," ";" sanitizers "${sanitizers}")
foreach(sanitizer IN LISTS sanitizers)
  if(NOT sanitizer MATCHES "^(address|undefined|thread|leak)$")
    message(FATAL_ERROR "HEXAPLA_SANITIZE=${HEXAPLA_SANITIZE}: '${sanitizer}' is none of address, undefined, leak, thread")
  endif()
endforeach()
if("thread" IN_LIST sanitizers AND ("address" IN_LIST sanitizers OR "leak" IN_LIST sanitizers))
  message(FATAL_ERROR "HEXAPLA_SANITIZE=${HEXAPLA_SANITIZE}: thread cannot be built together with address or leak")
endif()

string(REPLACE ";" "," sanitizers "${sanitizers}")
set(HEXAPLA_SANITIZE_FLAGS -fsanitize=${sanitizers} -fno-sanitize-recover=all)
add_compile_options(${HEXAPLA_SANITIZE_FLAGS} -fno-omit-frame-pointer -g1 -O1)
add_link_options(${HEXAPLA_SANITIZE_FLAGS})
add_library(hexapla_sanitizer_objects OBJECT cmake/sanitizer_options.cpp)
target_sources(hexapla_sanitizer_options INTERFACE $<TARGET_OBJECTS:hexapla_sanitizer_objects>)
