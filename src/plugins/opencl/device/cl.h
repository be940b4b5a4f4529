#pragma once
// OpenCL's own header, its objects with their lifetimes, and its errors in words.
#include <CL/cl.h>

#include <string>
#include <utility>

namespace hexapla::opencl {

// Owns an object of OpenCL.
template <class T, auto release>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T object) : object_(object) {}
  ~Handle() {
    if (object_ != nullptr) release(object_);
  }
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  T get() const { return object_; }

 private:
  T object_ = nullptr;
};
using Buffer = Handle<cl_mem, clReleaseMemObject>;
using Compiled = Handle<cl_program, clReleaseProgram>;
using Kernel = Handle<cl_kernel, clReleaseKernel>;
using OpenContext = Handle<cl_context, clReleaseContext>;
using CommandQueue = Handle<cl_command_queue, clReleaseCommandQueue>;

// RunError if the status is not CL_SUCCESS. doing: "run the kernel add".
void check(cl_int status, const std::string& doing);

}  // namespace hexapla::opencl
