#pragma once

namespace hexapla::cpu {

// Features that this processor has and the system allows. Detected once.
struct Processor {
  bool avx2 = false;    // with FMA
  bool avx512 = false;  // F, BW, DQ and VL
  bool neon = false;
  bool bf16 = false;                // AVX512_BF16; Arm's BF16
  bool fast_bf16 = false;           // vector units multiply bf16 twice as fast as f32
  bool eight_bit_dot = false;       // AVX512_VNNI; Arm's dot products
  bool short_dot = false;           // AVX_VNNI: the same in 256 bits without AVX-512
  bool eight_bit_matrices = false;  // Arm's I8MM
  bool tiles = false;               // AMX_BF16 and AMX_INT8
};
const Processor& processor();

}  // namespace hexapla::cpu
