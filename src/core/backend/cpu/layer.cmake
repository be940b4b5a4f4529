# The kernels are written once and compiled once per instruction set. Their files include no inline functions
# of other libraries: the linker keeps one copy of such a function, which may be the one that needs AVX-512.
file(GLOB kernel_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${place}/kernels/*.cpp
                                           ${CMAKE_CURRENT_SOURCE_DIR}/${place}/kernels/int8/*.cpp)
set(kernel_flags -O3 -fno-exceptions -ffp-contract=fast -fno-math-errno -fno-trapping-math -Wno-psabi
    -Wno-ignored-attributes)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND kernel_flags -Wno-maybe-uninitialized)  # GCC 12 warns of its own _mm512_undefined_ps (bug 105593)
  # GCC 14 does not fuse the products of every long sum (-mtune=generic): a row's bits would depend on its neighbors.
  list(APPEND kernel_flags --param=avoid-fma-max-bits=0)
endif()

# hexapla_kernels(NAME ISA VECTOR_BYTES SOURCES FLAGS...): an object library, its code in the namespace ISA.
function(hexapla_kernels name isa vector_bytes sources)
  add_library(hexapla_kernels_${name} OBJECT ${sources})
  target_include_directories(hexapla_kernels_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src/core)
  target_compile_definitions(hexapla_kernels_${name} PRIVATE ISA=${isa} VEC_BYTES=${vector_bytes})
  target_compile_options(hexapla_kernels_${name} PRIVATE ${HEXAPLA_WARNINGS} ${kernel_flags} ${ARGN})
  hexapla_hide_symbols(hexapla_kernels_${name})
endfunction()

set(isas generic)
set(kernels ${place}/kernels)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  # Gives the bits of x86-64, which has no FMA at this level. SHELL, or CMake would drop what looks like a repetition.
  hexapla_kernels(generic generic 16 "${kernel_sources}" SHELL:-ffp-contract=off)
  hexapla_kernels(neon neon 16 "${kernel_sources}" -DHEXAPLA_NEON)
  hexapla_kernels(dotprod dotprod 16 ${kernels}/int8/product.cpp -DHEXAPLA_NEON -DHEXAPLA_DOT_PRODUCTS
                  -march=armv8.2-a+dotprod)
  hexapla_kernels(i8mm i8mm 16 ${kernels}/int8/product.cpp -DHEXAPLA_NEON -DHEXAPLA_DOT_PRODUCTS
                  -march=armv8.2-a+i8mm)
  hexapla_kernels(armbf16 armbf16 16 ${kernels}/bf16/product.cpp -DHEXAPLA_NEON -march=armv8.2-a+bf16)
  list(APPEND isas neon dotprod i8mm armbf16)
  target_compile_definitions(${target} PRIVATE HEXAPLA_ARM_KERNELS)
else()
  hexapla_kernels(generic generic 16 "${kernel_sources}")
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
  hexapla_kernels(avx2 avx2 32 "${kernel_sources}" -mavx2 -mfma)
  hexapla_kernels(avx512 avx512 64 "${kernel_sources}" ${avx512})
  list(APPEND isas avx2 avx512)
  # For tests, compiles the same sources with instructions that every processor with AVX-512 has. Quick sanitizer
  # builds leave this out on a processor without AVX-512, which would skip these tests.
  set(HEXAPLA_EMULATE ${HEXAPLA_TESTS})
  if(HEXAPLA_SANITIZE_TESTS_QUICKLY AND EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo avx512_here REGEX " avx512f " LIMIT_COUNT 1)
    if(NOT avx512_here)
      set(HEXAPLA_EMULATE OFF)
    endif()
  endif()
  foreach(narrow "avx512bf16 64 bf16/product.cpp -mavx512bf16" "avx512vnni 64 int8/product.cpp -mavx512vnni"
                 "amxbf16 64 amx/bf16.cpp -mavx512bf16" "amxint8 64 amx/int8.cpp -mavx512vnni"
                 "avxvnni 32 int8/product.cpp -mavxvnni")
    separate_arguments(narrow)
    list(GET narrow 0 isa)
    list(GET narrow 1 bytes)
    list(GET narrow 2 source)
    list(GET narrow 3 flag)
    if(bytes EQUAL 64)
      set(base ${avx512})
    else()
      set(base -mavx2 -mfma)
    endif()
    hexapla_kernels(${isa} ${isa} ${bytes} ${kernels}/${source} ${base} ${flag} -DHEXAPLA_DOT_PRODUCTS)
    list(APPEND isas ${isa})
    if(HEXAPLA_EMULATE)
      hexapla_kernels(emulated_${isa} ${isa} ${bytes} ${kernels}/${source} ${base} -DHEXAPLA_DOT_PRODUCTS
                      -DHEXAPLA_EMULATED)
      list(APPEND emulated $<TARGET_OBJECTS:hexapla_kernels_emulated_${isa}>)
    endif()
  endforeach()
  target_compile_definitions(${target} PRIVATE HEXAPLA_X86_KERNELS)
  # Objects of the test program take precedence over those of the library.
  if(HEXAPLA_EMULATE)
    set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/${place}/processor.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    set(HEXAPLA_TEST_SOURCES_backend_cpu_emulated ${tests} ${place}/processor.cpp ${emulated} CACHE INTERNAL "")
  endif()
endif()
set(HEXAPLA_KERNEL_OBJECTS "" CACHE INTERNAL "")  # which TARGET_OBJECTS of this layer does not name
foreach(isa ${isas})
  set(HEXAPLA_KERNEL_OBJECTS ${HEXAPLA_KERNEL_OBJECTS} $<TARGET_OBJECTS:hexapla_kernels_${isa}> CACHE INTERNAL "")
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:hexapla_kernels_${isa}>)
  if(HEXAPLA_TESTS AND NOT HEXAPLA_SANITIZE)  # no weak symbols, which the linker could share
    add_test(NAME kernels_share_no_functions_${isa} COMMAND_EXPAND_LISTS
             COMMAND sh -c "! nm \"$@\" | grep -E ' [WVu] '" sh $<TARGET_OBJECTS:hexapla_kernels_${isa}>)
  endif()
endforeach()

if(HEXAPLA_ONEDNN AND HEXAPLA_DNNL_INCLUDE AND HEXAPLA_DNNL_LIBRARY)
  target_compile_definitions(${target} PRIVATE HEXAPLA_HAVE_ONEDNN)
  target_include_directories(${target} SYSTEM PRIVATE ${HEXAPLA_DNNL_INCLUDE})
  target_link_libraries(${target} PRIVATE ${HEXAPLA_DNNL_LIBRARY})
endif()
