# The kernels are written once and compiled once per instruction set. Their files include nothing with inline functions
# of other people: the linker keeps one copy of such a function, and it might keep the one that needs AVX-512.
file(GLOB kernel_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/${folder}/kernels/*.cpp)
set(kernel_flags -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math -Wno-psabi -Wno-ignored-attributes
    -Wno-maybe-uninitialized)  # the last one: GCC 12 warns of its own _mm512_undefined_ps (bug 105593)

function(hexapla_kernels isa vector_bytes sources)
  add_library(hexapla_kernels_${isa} OBJECT ${sources})
  target_include_directories(hexapla_kernels_${isa} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_compile_definitions(hexapla_kernels_${isa} PRIVATE ISA=${isa} VEC_BYTES=${vector_bytes})
  target_compile_options(hexapla_kernels_${isa} PRIVATE ${HEXAPLA_WARNINGS} ${kernel_flags} ${ARGN})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:hexapla_kernels_${isa}>)
  if(HEXAPLA_BUILD_TESTS AND NOT HEXAPLA_SANITIZE)  # no weak symbols: nothing that the linker could share out
    add_test(NAME kernels_share_no_functions_${isa} COMMAND_EXPAND_LISTS
             COMMAND sh -c "! nm \"$@\" | grep -E ' [WVu] '" sh $<TARGET_OBJECTS:hexapla_kernels_${isa}>)
  endif()
endfunction()

hexapla_kernels(generic 16 "${kernel_sources}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
  hexapla_kernels(avx2 32 "${kernel_sources}" -mavx2 -mfma)
  hexapla_kernels(avx512 64 "${kernel_sources}" ${avx512})
  hexapla_kernels(avx512bf16 64 src/${folder}/kernels/bf16/product.cpp ${avx512} -mavx512bf16)
  hexapla_kernels(avx512vnni 64 src/${folder}/kernels/int8/product.cpp ${avx512} -mavx512vnni)
  hexapla_kernels(amxbf16 64 src/${folder}/kernels/amx/bf16.cpp ${avx512} -mavx512bf16)
  hexapla_kernels(amxint8 64 src/${folder}/kernels/amx/int8.cpp ${avx512} -mavx512vnni)
  target_compile_definitions(${target} PRIVATE HEXAPLA_X86_KERNELS)
endif()

if(HEXAPLA_ONEDNN AND HEXAPLA_DNNL_INCLUDE AND HEXAPLA_DNNL_LIBRARY)
  target_compile_definitions(${target} PRIVATE HEXAPLA_HAVE_ONEDNN)
  target_include_directories(${target} SYSTEM PRIVATE ${HEXAPLA_DNNL_INCLUDE})
  target_link_libraries(${target} PRIVATE ${HEXAPLA_DNNL_LIBRARY})
endif()
