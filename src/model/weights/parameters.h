#pragma once
#include "base/compute/pages.h"
#include "base/compute/random.h"
#include "model/weights/parameter.h"

namespace hexapla::model {

// Owns the memory of a module's parameters: one slab of values and, for training, one of gradients (same layout), so
// that the optimizer is one loop over one array. Every parameter starts at a multiple of 64 bytes. Buffers lie in a
// slab of their own. The module keeps views: it must not outlive this.
class Parameters {
 public:
  enum class Use { inference, training };

  template <class Module>
  Parameters(Module& module, DType dtype, Use use) : dtype_(dtype) {
    int64_t n = 0, buffers = 0;
    for_each<Parameter>(module, [&](const std::string&, Parameter& p) { n += padded(p.shape.size()); });
    for_each<Buffer>(module, [&](const std::string&, Buffer& b) { buffers += padded(b.shape.size()); });
    values_ = slab(n);
    if (use == Use::training) gradients_ = slab(n);
    buffers_ = slab(buffers);
    int64_t at = 0;
    for_each<Parameter>(module, [&](const std::string&, Parameter& p) {
      p.value = view(values_, at, p.shape);
      p.grad = gradients_ ? view(gradients_, at, p.shape) : Tensor();
      at += padded(p.shape.size());
      count_ += p.shape.size();
    });
    at = 0;
    for_each<Buffer>(module, [&](const std::string&, Buffer& b) {
      b.value = view(buffers_, at, b.shape);
      at += padded(b.shape.size());
    });
  }
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  Tensor values() const { return values_; }        // [n], the gaps between parameters are zero
  Tensor gradients() const { return gradients_; }  // the same layout
  Tensor buffers() const { return buffers_; }
  int64_t count() const { return count_; }  // without the gaps
  DType dtype() const { return dtype_; }
  // Where the numbers of a parameter begin in the slab, and how many they take with the gap behind them.
  int64_t offset(const Parameter& p) const { return (p.value.bytes - values_.bytes) / int64_t(size_of(dtype_)); }
  static int64_t padded(int64_t n) { return (n + 15) / 16 * 16; }
  Tensor slab_like_values() { return slab(values_.shape[0]); }  // for the optimizer's moments: zeros, owned here
  // Its numbers become zeros, which take no memory until they are written.
  void forget(Tensor slab);

 private:
  Tensor slab(int64_t n);
  Tensor view(Tensor slab, int64_t at, Shape s) const {
    return Tensor(slab.bytes + at * int64_t(size_of(dtype_)), s, dtype_);
  }

  DType dtype_;
  int64_t count_ = 0;
  std::vector<Pages> memory_;
  Tensor values_, gradients_, buffers_;
};

namespace detail {
void initialize(Parameter& p, Random random, double gain);
void initialize(Buffer& b);
}  // namespace detail

// Starting values from the seed: each parameter has its own stream, so its numbers do not depend on other shapes. gain
// multiplies the limits of Xavier-uniform weights.
template <class Module>
void initialize(Module& module, uint64_t seed, double gain = 1) {
  uint64_t stream = 0;
  for_each<Parameter>(module,
                      [&](const std::string&, Parameter& p) { detail::initialize(p, Random(seed, ++stream), gain); });
  for_each<Buffer>(module, [&](const std::string&, Buffer& b) { detail::initialize(b); });
}

}  // namespace hexapla::model
