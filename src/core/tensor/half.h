#pragma once
// 16-bit numbers: f16 (IEEE 754 binary16) and bf16 (the upper half of an f32). For storage only,
// not for computing.
#include <cstdint>

#include "tensor/tensor.h"

namespace hexapla {

float float_of_f16(uint16_t bits);
float float_of_bf16(uint16_t bits);
// Round to nearest, ties to even; numbers that are too large become infinity.
uint16_t f16_of_float(float x);
uint16_t bf16_of_float(float x);

inline bool is_half(DType t) { return t == DType::f16 || t == DType::bf16; }

// Converts exactly. Both contiguous and of the same shape; from: f16 or bf16, to: f32.
void widen(const Tensor& from, const Tensor& to);
// Whether a number is exactly representable in this type (f32, f16 or bf16).
bool fits(DType type, float x);

// Stores numbers in a tensor of f32, f16 or bf16, rounding where necessary.
class NumberStore {
 public:
  explicit NumberStore(const Tensor& to) : bytes_(to.bytes), type_(to.dtype) {
    HEXAPLA_CHECK(type_ == DType::f32 || is_half(type_), "numbers are stored in f32, f16 or bf16, not ",
                  name_of(type_));
  }
  void set(size_t index, float x) const {
    if (type_ == DType::f32)
      reinterpret_cast<float*>(bytes_)[index] = x;
    else
      reinterpret_cast<uint16_t*>(bytes_)[index] = type_ == DType::f16 ? f16_of_float(x) : bf16_of_float(x);
  }

 private:
  std::byte* bytes_;
  DType type_;
};

}  // namespace hexapla
