#pragma once
// The devices of all OpenCL platforms, and one of them, opened.
#include <cstdint>
#include <string>
#include <vector>

#include "opencl/device/cl.h"

namespace hexapla::opencl {

constexpr int64_t kGroup = 128;  // work items of a group of every kernel: GROUP of kernels/common.cl

// Text for doctor of every device, by its number: "NVIDIA H200 (NVIDIA CUDA, driver 580.159, 143000 MiB, f32 and f64)".
// GPUs come first.
std::vector<std::string> device_names();

class Device {
 public:
  // UsageError: there is no such device, or it cannot run the kernels; the message gives the reason.
  explicit Device(int number);

  cl_device_id id() const { return id_; }
  cl_context context() const { return context_.get(); }
  cl_command_queue queue() const { return queue_.get(); }
  const std::string& name() const { return name_; }
  // Changes when compiled programs become useless: platform, device and driver.
  std::string version() const;
  bool has_f64() const { return f64_; }
  size_t local_memory() const { return local_memory_; }      // bytes of a group
  size_t memory() const { return memory_; }                  // bytes
  size_t largest_buffer() const { return largest_buffer_; }  // bytes

 private:
  cl_device_id id_ = nullptr;
  std::string name_;
  bool f64_ = false;
  size_t local_memory_ = 0, memory_ = 0, largest_buffer_ = 0;
  OpenContext context_;
  CommandQueue queue_;
};

}  // namespace hexapla::opencl
