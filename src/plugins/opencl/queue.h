#pragma once
// Runs kernels in the order of the calls, without waiting for them.
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "opencl/arguments.h"
#include "opencl/device/program.h"

namespace hexapla::opencl {

class Queue {
 public:
  explicit Queue(int device_number);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  const Device& device() const { return device_; }
  const std::shared_ptr<Memory>& memory() const { return memory_; }
  // Calls that use scratch() or upload(), or several kernels that belong together, hold this.
  std::recursive_mutex& mutex() { return mutex_; }

  template <class... A>
  void launch(const char* kernel, DType type, int64_t groups, const A&... arguments) {
    if (groups == 0) return;
    const std::lock_guard lock(mutex_);
    const cl_kernel k = program(type).kernel(kernel);
    Arguments to(k, *memory_, type);
    (to.add(arguments), ...);
    enqueue(k, kernel, groups);
  }

  // Copies numbers to the device. They remain there for the calls that follow, until much more has been uploaded.
  Uploaded upload(std::span<const int32_t> numbers);
  // Memory of the device for one call. Earlier contents are lost.
  Buffer& scratch(size_t bytes);

  void write(const void* host, void* device, size_t bytes);
  void read(const void* device, void* host, size_t bytes);  // waits
  void read(cl_mem buffer, void* host, size_t bytes);       // waits

 private:
  // Numbers uploaded in the current lap around the ring.
  struct Sent {
    size_t at, count;
  };
  Program& program(DType type);
  void enqueue(cl_kernel kernel, const char* name, int64_t groups);
  const Sent* sent(std::span<const int32_t> numbers) const;
  size_t room(size_t count);
  void grow(Buffer& buffer, size_t& size, size_t wanted);

  std::recursive_mutex mutex_;
  Device device_;
  std::shared_ptr<Memory> memory_;
  std::array<std::optional<Program>, 2> programs_;  // f32, f64
  Buffer ring_, scratch_;
  size_t scratch_size_ = 0, ring_size_ = 0;  // bytes
  std::vector<int32_t> host_ring_;
  size_t ring_next_ = 0;  // in numbers
  std::vector<Sent> lap_;
};

}  // namespace hexapla::opencl
