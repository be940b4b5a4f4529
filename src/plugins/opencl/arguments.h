#pragma once
// The arguments of kernels, made of tensors (kernels/common.cl: VECTOR, MATRIX, HEADS, MASK).
#include <cmath>
#include <limits>

#include "backend/backend.h"
#include "opencl/device/memory.h"

namespace hexapla::opencl {

// Rows of equal distance.
struct Matrix {
  Tensor values;
  int64_t rows = 0, width = 0, stride = 0;
};
Matrix matrix(Tensor t, const char* what);
// [N, H, d], whose numbers are contiguous within a head.
struct Heads {
  Tensor values;
};
// Local memory for so many numbers of the kernel's type.
struct Local {
  int64_t numbers = 0;
};
// 32-bit numbers that the host has uploaded; Queue::upload().
struct Uploaded {
  cl_mem buffer = nullptr;
  size_t first = 0;  // in numbers
};
// Numbers of the backend's own scratch memory; Queue::scratch().
struct Scratch {
  cl_mem buffer = nullptr;
  size_t first = 0;     // in numbers of the kernel's type
  int64_t stride = -1;  // of a MATRIX; -1: a VECTOR
};

// Sets the arguments of a kernel, one after the other.
class Arguments {
 public:
  Arguments(cl_kernel kernel, const Memory& memory, DType type) : kernel_(kernel), memory_(memory), type_(type) {}

  void add(const Tensor& t);
  void add(const Matrix& m);
  void add(const Heads& h);
  void add(const Uploaded& u);
  void add(const Scratch& s);
  void add(const Local& l);
  void add(const DropoutMask& mask);
  void add(double x);
  void add(int64_t n) { value(small(n)); }
  void add(int n) { value(cl_int{n}); }
  void add(bool b) { value(cl_int{b}); }

 private:
  static cl_int small(int64_t n) {
    HEXAPLA_CHECK(n >= 0 && n <= std::numeric_limits<cl_int>::max(), n, " is too large for the kernels of OpenCL");
    return static_cast<cl_int>(n);
  }
  template <class T>
  void value(T x) {
    set(sizeof x, &x);
  }
  void set(size_t size, const void* bytes);
  void place(cl_mem buffer, size_t first);

  cl_kernel kernel_;
  const Memory& memory_;
  DType type_;
  cl_uint next_ = 0;
};

}  // namespace hexapla::opencl
