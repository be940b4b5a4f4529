#pragma once
#include "base/compute/pages.h"
#include "base/compute/random.h"
#include "model/parameters/parameter.h"

namespace hexapla::model {

// Owns the memory of a module's parameters: one slab of values and, for training, one of gradients
// with the same layout, so that the optimizer is one loop over one array. Every parameter is
// aligned to 64 bytes. Buffers have a slab of their own. The module holds views, so this must
// outlive it.
class Parameters {
 public:
  enum class Use { inference, training };

  // backend: owner of the slabs, as after move_to().
  template <class Module>
  Parameters(Module& module, DType dtype, Use use, Backend* backend = nullptr)
      : Parameters(leaves_of(module), dtype, use, backend) {}
  Parameters(const Leaves& module, DType dtype, Use use, Backend* backend = nullptr);
  // Moves all slabs to memory of the backend, which must outlive this; from then on ops of this backend alone can use
  // them. Views of leaves that the module has by then are set again. Nothing to do if the backend works in the host's
  // memory.
  void move_to(Backend& backend);
  // Calls f() while all slabs are in the memory of the host; afterwards they return to the device.
  template <class F>
  void on_host(F&& f) {
    Backend* const device = device_;
    move(nullptr);
    try {
      f();
    } catch (...) {
      move(device);
      throw;
    }
    move(device);
  }
  Backend* device() const { return device_; }  // null: the slabs are in the memory of the host
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  Tensor values() const { return values_; }        // [n]; the gaps between parameters are zero
  Tensor gradients() const { return gradients_; }  // the same layout
  Tensor buffers() const { return buffers_; }
  int64_t count() const { return count_; }  // without the gaps
  DType dtype() const { return dtype_; }
  // The offset of a parameter in the slab, and its size including the gap after it.
  int64_t offset(const Parameter& p) const { return (p.value.bytes - values_.bytes) / int64_t(size_of(dtype_)); }
  static int64_t padded(int64_t n) { return (n + 15) / 16 * 16; }
  Tensor slab_like_values() { return slab(values_.shape[0]); }  // for the optimizer's moments: zeros, owned here
  Pages allocate(size_t bytes) const { return device_ ? device_->allocate(bytes) : Pages(bytes); }  // beside the slabs
  // Sets its numbers to zero and frees their memory until they are written again.
  void forget(Tensor slab);

 private:
  Tensor slab(int64_t n);
  void bind();  // the views of the leaves
  void move(Backend* to);
  Tensor view(Tensor slab, int64_t at, Shape s) const {
    return Tensor(slab.bytes + at * int64_t(size_of(dtype_)), s, dtype_);
  }

  Leaves module_;
  DType dtype_;
  Backend* device_ = nullptr;
  int64_t count_ = 0;
  std::vector<Pages> memory_;
  Tensor values_, gradients_, buffers_;
};

// Initializes parameters from the seed. Each has its own stream, so its values do not depend on
// other shapes. gain multiplies the limits of Xavier-uniform weights.
void initialize(const Leaves& module, uint64_t seed, double gain = 1);

template <class Module>
void initialize(Module& module, uint64_t seed, double gain = 1) {
  initialize(leaves_of(module), seed, gain);
}

}  // namespace hexapla::model
