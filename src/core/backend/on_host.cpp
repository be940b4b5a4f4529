#include "backend/on_host.h"

namespace hexapla {
namespace {

// Elements from the first of these dimensions' elements to the last, both included.
int64_t extent(const Tensor& t, int first_dimension) {
  int64_t last = 0;
  for (int i = first_dimension; i < t.shape.rank(); ++i) last += (t.shape[i] - 1) * t.strides[i];
  return last + 1;
}

}  // namespace

OnHost::OnHost(Backend& backend, const Tensor& of, Contents contents) : backend_(backend), there_(of), here_(of) {
  if (backend.host_memory() || !of || of.size() == 0) return;
  copy_.resize(static_cast<size_t>(extent(of, 0)) * size_of(of.dtype));
  if (contents == Contents::read) backend.copy_to_host(of.bytes, copy_.data(), copy_.size());
  here_.bytes = copy_.data();
}

void OnHost::write_back() const {
  if (copy_.empty()) return;
  const int64_t row = there_.shape.rank() > 0 ? extent(there_, 1) : 1,
                n = there_.shape.rank() > 0 ? there_.shape[0] : 1;
  const auto size = static_cast<int64_t>(size_of(there_.dtype));
  if (n == 1 || row >= there_.strides[0]) return backend_.copy_to_device(copy_.data(), there_.bytes, copy_.size());
  for (int64_t i = 0, at = 0; i < n; ++i, at += there_.strides[0] * size)
    backend_.copy_to_device(copy_.data() + at, there_.bytes + at, static_cast<size_t>(row * size));
}

}  // namespace hexapla
