# Writes the OpenCL kernels into a C++ file, as one text, common.cl first.
# cmake -D FOLDER=src/plugins/opencl/kernels -D OUT=kernel_source.cpp -P cmake/kernels.cmake
file(GLOB files ${FOLDER}/*.cl)
list(SORT files)
set(common ${FOLDER}/common.cl)
list(REMOVE_ITEM files ${common})
set(text)
foreach(file IN LISTS common files)
  file(READ ${file} source)
  string(APPEND text "    R\"kernels(${source})kernels\"\n")
endforeach()
file(WRITE ${OUT}.new "// Made by cmake/kernels.cmake.
#include \"opencl/device/program.h\"

namespace hexapla::opencl {

const char* const kKernelSource =
${text}    \"\";

}  // namespace hexapla::opencl
")
file(RENAME ${OUT}.new ${OUT})
