#pragma once
// The kernels of a device, compiled for one type of numbers.
#include <map>
#include <string>

#include "opencl/device/device.h"
#include "tensor/dtype.h"

namespace hexapla::opencl {

// All files of kernels/ in one text, common.cl first; made by cmake/kernels.cmake.
extern const char* const kKernelSource;

class Program {
 public:
  // Compiled programs are kept in `cache`, a folder; "": nowhere. RunError with the compiler's first lines.
  Program(const Device& device, DType type, const std::string& source, const std::string& cache);
  cl_kernel kernel(const std::string& name);

 private:
  Compiled program_;
  std::map<std::string, Kernel> kernels_;
};

}  // namespace hexapla::opencl
