#pragma once
// Private to src/core/backend/cpu: the class, helpers that its files share, and the interface to
// products.
#include <algorithm>
#include <memory>
#include <string>

#include "backend/cpu/cpu.h"
#include "backend/cpu/kernels/kernels.h"
#include "base/compute/pages.h"

namespace hexapla::cpu {

const Kernels& kernels_of(Isa);
Kernels kernels_of(Isa, Precision);  // with attention's products in that precision, if available
bool has(Isa, Precision);            // this processor and this build

// Memory of this thread, aligned to 64 bytes, that only grows; each slot is one block. Earlier
// contents are lost.
enum class Slot { product, packed, task, partial, count };
float* thread_scratch(Slot, int64_t floats);

// A tensor as f32 rows of its last dimension.
struct Matrix {
  float* p = nullptr;
  int64_t rows = 0, width = 0, stride = 0;
  float* row(int64_t i) const { return p + i * stride; }
  float* row_or_null(int64_t i) const { return p ? p + i * stride : nullptr; }
};
// Rows must be equally spaced and contiguous in themselves. An empty tensor gives an empty matrix.
Matrix matrix(Tensor t, const char* what);
// A contiguous vector; null for an empty tensor.
float* vector_of(Tensor t, const char* what);

// Splits 0 .. n-1 into chunks of `size`: body(from, count), in parallel.
template <class Body>
void in_chunks(int64_t n, int64_t size, Body&& body);

// A weight in the order in which a kernel reads it.
class PackedStrips final : public PackedWeight {
 public:
  PackedStrips(const ProductKernel& kernel, const Shape& of);
  const ProductKernel& kernel() const { return kernel_; }
  PackedMemory memory() { return parts_; }
  Packed view() const { return {parts_.strips, parts_.scales, parts_.sums}; }

 private:
  ProductKernel kernel_;
  Pages memory_;
  PackedMemory parts_;
};

// Computes products with own kernels or oneDNN. Takes any strides that Product allows; gives the
// same bits for any number of threads.
class Products {
 public:
  virtual ~Products() = default;
  virtual std::string name() const = 0;
  virtual void run(const Product&) = 0;
  // Packs a weight; null if there is no packed layout. run() then ignores b of the product.
  std::unique_ptr<PackedStrips> pack(const Product& b_alone) const {
    std::unique_ptr<PackedStrips> packed;
    pack(b_alone, packed);
    return packed;
  }
  virtual void pack(const Product& b_alone, std::unique_ptr<PackedStrips>& into) const = 0;  // reuses `into` if it fits
  virtual std::unique_ptr<PackedStrips> pack(const Integers& b) const = 0;
  virtual void run(Product, const PackedStrips&) = 0;
  virtual double arithmetic_limit() const = 0;  // operations per second of one thread
};
std::unique_ptr<Products> make_own_products(Isa, Precision);
// Null if oneDNN was not built in, or if its implementation gives a row different bits depending on
// its neighbors (as measured, all but the brgemm kernels for AVX-512 do).
std::unique_ptr<Products> make_onednn_products(Isa);

class CpuBackend final : public Backend {
 public:
  CpuBackend(Isa isa, Precision precision, std::unique_ptr<Products> products)
      : isa_(isa), k_(kernels_of(isa, precision)), products_(std::move(products)) {}

  std::string name() const override { return std::string("cpu (") + name_of(isa_) + ")"; }
  bool supports(DType t) const override { return t == DType::f32; }
  std::string products() const { return products_->name(); }
  double arithmetic_limit() const { return products_->arithmetic_limit(); }

  std::unique_ptr<PackedWeight> pack(Tensor w) override;
#include "backend/overrides.inc"  // every op

 private:
  // Calls rows(chunk, its first row) for every chunk of rows; each chunk has its own sums.
  template <class F>
  void norm_backward(const NormBackwardRows& all, Tensor dgain, Tensor dbias, F rows);
  void add_column_sums(const Matrix& x, float* y);
  void pack(Tensor w, std::unique_ptr<PackedStrips>& into) const;

  Isa isa_;
  Kernels k_;
  std::unique_ptr<Products> products_;
  std::unique_ptr<PackedStrips> output_, output_transposed_;  // of the current loss, plain and transposed
};

Dropout dropout_of(const DropoutMask& mask);

}  // namespace hexapla::cpu

#include "base/compute/parallel.h"

template <class Body>
void hexapla::cpu::in_chunks(int64_t n, int64_t size, Body&& body) {
  if (n <= 0) return;
  parallel_for((n + size - 1) / size, [&](int64_t i) { body(i * size, std::min(size, n - i * size)); });
}
