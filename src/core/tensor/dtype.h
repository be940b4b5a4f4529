#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hexapla {

// bf16 is stored in 16 bits (the upper half of an f32); i32 holds token ids and positions; u8 holds
// raw bytes in files. f16 (IEEE 754 binary16) and i64 occur only in files of other programs:
// nothing computes with them.
enum class DType : uint8_t { f32, f64, bf16, i8, i32, u8, f16, i64 };

constexpr size_t size_of(DType t) {
  switch (t) {
    case DType::f64:
    case DType::i64:
      return 8;
    case DType::bf16:
    case DType::f16:
      return 2;
    case DType::i8:
    case DType::u8:
      return 1;
    default:
      return 4;
  }
}

constexpr const char* name_of(DType t) {
  constexpr const char* names[] = {"f32", "f64", "bf16", "i8", "i32", "u8", "f16", "i64"};
  return names[static_cast<int>(t)];
}

struct bf16 {
  uint16_t bits;
};

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, bf16>)
    return DType::bf16;
  else if constexpr (std::is_same_v<T, int8_t>)
    return DType::i8;
  else if constexpr (std::is_same_v<T, int32_t>)
    return DType::i32;
  else {
    static_assert(std::is_same_v<T, uint8_t>, "no DType for this type");
    return DType::u8;
  }
}

}  // namespace hexapla
