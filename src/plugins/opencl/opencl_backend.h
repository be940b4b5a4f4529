#pragma once
// Private to the plugin: the backend. Every tensor lies in the memory of the device; offsets and lists lie in the
// host's.
#include "opencl/queue.h"

namespace hexapla::opencl {

class OpenclBackend final : public Backend {
 public:
  explicit OpenclBackend(int device_number) : queue_(device_number) {}

  std::string name() const override;
  bool supports(DType t) const override;
  Pages allocate(size_t bytes) override;
  void copy_to_device(const void* host, void* device, size_t bytes) override { queue_.write(host, device, bytes); }
  void copy_to_host(const void* device, void* host, size_t bytes) override { queue_.read(device, host, bytes); }
  bool host_memory() const override { return false; }

#include "backend/overrides.inc"  // every op

 private:
  // y = alpha x w + beta y, or with x transposed; the sums of a row are those of any other number of rows.
  struct Product {
    Tensor x, w, y;
    bool x_transposed = false, added = false;
  };
  void multiply_matrices(const Product& p, Tensor bias);
  // sum += the sums over the rows of d, and along += those of d * normed, if given.
  void add_column_sums(Tensor d, Tensor normed, Tensor sum, Tensor along);

  // The tile of the loss, in memory of our own if the given one is smaller than a device can use.
  Tensor wide_tile(const LossInput& in, Tensor tile);

  Queue queue_;
  Pages loss_tile_;
};

// Groups for kernels with a work item per element.
inline int64_t element_groups(int64_t rows, int64_t width) { return rows * ((width + kGroup - 1) / kGroup); }

}  // namespace hexapla::opencl
