#pragma once
// Device memory, seen through addresses that the host cannot touch: an address range without memory stands for a
// buffer, so tensors and their arithmetic are those of the CPU, and an access by the host ends the process at once.
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "opencl/device/device.h"

namespace hexapla::opencl {

// An address as the device sees it.
struct Place {
  cl_mem buffer = nullptr;
  size_t offset = 0;  // bytes
};

class Memory {
 public:
  explicit Memory(const Device& device) : device_(device) {}
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Zeroed memory. RunError: the device has too little.
  std::byte* allocate(size_t bytes);
  void release(std::byte* start);
  // InternalError: the address is none of allocate().
  Place find(const void* address) const;

 private:
  struct Range {
    size_t size = 0;
    Buffer buffer;
  };
  void fill_with_zeros(cl_mem buffer, size_t bytes) const;

  const Device& device_;
  mutable std::mutex mutex_;
  std::map<uintptr_t, Range> ranges_;
};

}  // namespace hexapla::opencl
