#include "opencl/device/memory.h"

#include <sys/mman.h>

#include <new>

#include "base/error.h"

namespace hexapla::opencl {
namespace {

// Address ranges have gaps between them, so that the end of one is not the start of another.
constexpr size_t kPage = 4096;
size_t reserved(size_t bytes) { return (bytes / kPage + 2) * kPage; }

}  // namespace

Memory::~Memory() {
  for (const auto& [start, range] : ranges_) munmap(reinterpret_cast<void*>(start), reserved(range.size));
}

std::byte* Memory::allocate(size_t bytes) {
  if (bytes > device_.memory())
    throw RunError(cat("the OpenCL device ", device_.name(), " has ", device_.memory() >> 20, " MiB of memory, but ",
                       bytes >> 20, " MiB are needed; smaller batches or a smaller model need less"));
  cl_int status = CL_SUCCESS;
  const size_t size = (bytes / kPage + 1) * kPage;
  Buffer buffer(clCreateBuffer(device_.context(), CL_MEM_READ_WRITE, size, nullptr, &status));
  check(status, cat("allocate ", bytes >> 20, " MiB"));
  fill_with_zeros(buffer.get(), size);
  void* const start = mmap(nullptr, reserved(bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  const std::lock_guard lock(mutex_);
  ranges_[reinterpret_cast<uintptr_t>(start)] = {bytes, std::move(buffer)};
  return static_cast<std::byte*>(start);
}

// Drivers find out on first use that memory is short, so this waits.
void Memory::fill_with_zeros(cl_mem buffer, size_t bytes) const {
  const cl_uint zero = 0;
  const std::string doing = cat("allocate ", bytes >> 20, " MiB");
  check(clEnqueueFillBuffer(device_.queue(), buffer, &zero, sizeof zero, 0, bytes, 0, nullptr, nullptr), doing);
  check(clFinish(device_.queue()), doing);
}

void Memory::release(std::byte* start) {
  const std::lock_guard lock(mutex_);
  const auto at = ranges_.find(reinterpret_cast<uintptr_t>(start));
  if (at == ranges_.end()) return;
  munmap(start, reserved(at->second.size));
  ranges_.erase(at);
}

Place Memory::find(const void* address) const {
  const auto at = reinterpret_cast<uintptr_t>(address);
  const std::lock_guard lock(mutex_);
  auto next = ranges_.upper_bound(at);
  HEXAPLA_CHECK(next != ranges_.begin(), "a tensor lies in memory of the host, not of the OpenCL device");
  const auto& [start, range] = *--next;
  HEXAPLA_CHECK(at <= start + range.size, "a tensor lies in memory of the host, not of the OpenCL device");
  return {range.buffer.get(), at - start};
}

}  // namespace hexapla::opencl
