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
  Parameters(Module& module, DType dtype, Use use) : Parameters(leaves_of(module), dtype, use) {}
  Parameters(const Leaves& module, DType dtype, Use use);
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

// Starting values from the seed: each parameter has its own stream, so its numbers do not depend on other shapes. gain
// multiplies the limits of Xavier-uniform weights.
void initialize(const Leaves& module, uint64_t seed, double gain = 1);

template <class Module>
void initialize(Module& module, uint64_t seed, double gain = 1) {
  initialize(leaves_of(module), seed, gain);
}

}  // namespace hexapla::model
