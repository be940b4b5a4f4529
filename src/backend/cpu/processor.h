#pragma once

namespace hexapla::cpu {

// Features that this processor has and the system allows. Detected once.
struct Processor {
  bool avx2 = false;           // with FMA
  bool avx512 = false;         // F, BW, DQ and VL
  bool bf16 = false;           // AVX512_BF16
  bool fast_bf16 = false;      // vector units multiply bf16 twice as fast as f32
  bool eight_bit_dot = false;  // AVX512_VNNI
  bool tiles = false;          // AMX_BF16 and AMX_INT8
};
const Processor& processor();

}  // namespace hexapla::cpu
