#pragma once

namespace hexapla::cpu {

// What this processor can do and the system lets this process use. Asked once.
struct Processor {
  bool avx2 = false;           // with FMA
  bool avx512 = false;         // F, BW, DQ and VL
  bool bf16 = false;           // AVX512_BF16
  bool fast_bf16 = false;      // multiplies twice as many bf16 numbers as f32 numbers, in its vector units
  bool eight_bit_dot = false;  // AVX512_VNNI
  bool tiles = false;          // AMX_BF16 and AMX_INT8
};
const Processor& processor();

}  // namespace hexapla::cpu
