#include "opencl/opencl_backend.h"

namespace hexapla::opencl {

std::string OpenclBackend::name() const { return cat("opencl (", queue_.device().name(), ")"); }

bool OpenclBackend::supports(DType t) const {
  return t == DType::f32 || (t == DType::f64 && queue_.device().has_f64());
}

Pages OpenclBackend::allocate(size_t bytes) {
  if (bytes == 0) return {};
  std::byte* const start = queue_.memory()->allocate(bytes);
  return {start, bytes, std::shared_ptr<void>(start, [memory = queue_.memory()](void* p) {
            memory->release(static_cast<std::byte*>(p));
          })};
}

std::unique_ptr<PackedWeight> OpenclBackend::pack_quantized(Tensor, Tensor) {
  throw UsageError("OpenCL has no products of int8 weights; give `precision` f32, or `device` cpu");
}

}  // namespace hexapla::opencl
