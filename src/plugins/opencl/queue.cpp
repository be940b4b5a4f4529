#include "opencl/queue.h"

#include <algorithm>

#include "base/options/environment.h"

namespace hexapla::opencl {
namespace {

constexpr size_t kRing = size_t{1} << 20;    // numbers
constexpr size_t kSmall = size_t{64} << 10;  // bytes: smaller copies to the device go through the ring, without waiting
constexpr size_t kRemembered = 8;            // uploads that are compared with a new one

}  // namespace

Queue::Queue(int device_number) : device_(device_number), memory_(std::make_shared<Memory>(device_)) {}

// Copies that wait in the queue read the host's ring.
Queue::~Queue() { clFinish(device_.queue()); }

Program& Queue::program(DType type) {
  HEXAPLA_CHECK(type == DType::f32 || type == DType::f64, "OpenCL has no kernels for ", name_of(type));
  if (type == DType::f64 && !device_.has_f64())
    throw UsageError(cat("the OpenCL device ", device_.name(), " has no f64; give `device` cpu"));
  std::optional<Program>& p = programs_[type == DType::f64];
  if (!p) p.emplace(device_, type, kKernelSource, cache_folder("opencl"));
  return *p;
}

void Queue::enqueue(cl_kernel kernel, const char* name, int64_t groups) {
  const size_t local = kGroup, all = static_cast<size_t>(groups) * local;
  const cl_int status = clEnqueueNDRangeKernel(device_.queue(), kernel, 1, nullptr, &all, &local, 0, nullptr, nullptr);
  if (status != CL_SUCCESS) check(status, cat("run the kernel ", name));
}

const Queue::Sent* Queue::sent(std::span<const int32_t> numbers) const {
  for (size_t i = lap_.size(); i > 0 && i + kRemembered > lap_.size(); --i) {
    const Sent& old = lap_[i - 1];
    if (old.count == numbers.size() &&
        std::equal(numbers.begin(), numbers.end(), host_ring_.begin() + static_cast<std::ptrdiff_t>(old.at)))
      return &old;
  }
  return nullptr;
}

// The ring's start of so many numbers. The device reads the host's ring later, so a lap ends with waiting.
size_t Queue::room(size_t count) {
  if (ring_next_ + count > host_ring_.size()) {
    check(clFinish(device_.queue()), "wait for the kernels");
    if (count > host_ring_.size()) host_ring_.assign(std::max(kRing, 4 * count), 0);
    grow(ring_, ring_size_, host_ring_.size() * sizeof(int32_t));
    ring_next_ = 0;
    lap_.clear();
  }
  const size_t at = ring_next_;
  ring_next_ += (count + 31) / 32 * 32;
  return at;
}

Uploaded Queue::upload(std::span<const int32_t> numbers) {
  const std::lock_guard lock(mutex_);
  if (const Sent* old = sent(numbers)) return {ring_.get(), old->at};
  const size_t at = room(std::max<size_t>(1, numbers.size()));
  std::copy(numbers.begin(), numbers.end(), host_ring_.begin() + static_cast<std::ptrdiff_t>(at));
  if (!numbers.empty())
    check(clEnqueueWriteBuffer(device_.queue(), ring_.get(), CL_FALSE, at * sizeof(int32_t), numbers.size_bytes(),
                               host_ring_.data() + at, 0, nullptr, nullptr),
          "copy numbers");
  lap_.push_back({at, numbers.size()});
  return {ring_.get(), at};
}

// The old buffer lives until the kernels that use it have run.
void Queue::grow(Buffer& buffer, size_t& size, size_t wanted) {
  if (size >= wanted && buffer.get() != nullptr) return;
  const size_t bytes = std::max({wanted, size + size / 2, size_t{4096}});
  cl_int status = CL_SUCCESS;
  buffer = Buffer(clCreateBuffer(device_.context(), CL_MEM_READ_WRITE, bytes, nullptr, &status));
  check(status, cat("allocate ", bytes >> 20, " MiB"));
  size = bytes;
}

Buffer& Queue::scratch(size_t bytes) {
  grow(scratch_, scratch_size_, bytes);
  return scratch_;
}

void Queue::write(const void* host, void* device, size_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  const Place to = memory_->find(device);
  const bool waits = bytes > kSmall;
  if (!waits) {
    const size_t at = room((bytes + 3) / 4);
    host = std::memcpy(host_ring_.data() + at, host, bytes);
  }
  check(clEnqueueWriteBuffer(device_.queue(), to.buffer, waits ? CL_TRUE : CL_FALSE, to.offset, bytes, host, 0, nullptr,
                             nullptr),
        "copy numbers");
}

void Queue::read(const void* device, void* host, size_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  const Place from = memory_->find(device);
  check(clEnqueueReadBuffer(device_.queue(), from.buffer, CL_TRUE, from.offset, bytes, host, 0, nullptr, nullptr),
        "read results");
}

void Queue::read(cl_mem buffer, void* host, size_t bytes) {
  check(clEnqueueReadBuffer(device_.queue(), buffer, CL_TRUE, 0, bytes, host, 0, nullptr, nullptr), "read results");
}

}  // namespace hexapla::opencl
