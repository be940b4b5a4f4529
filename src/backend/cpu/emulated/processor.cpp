// Every processor with AVX-512 becomes one with all that emulated/instructions.h can do.
#include "backend/cpu/processor.h"

namespace hexapla::cpu {
namespace {

Processor look() {
  Processor p;
  p.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  p.avx512 = p.avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  p.bf16 = p.fast_bf16 = p.eight_bit_dot = p.tiles = p.avx512;
  return p;
}

}  // namespace

const Processor& processor() {
  static const Processor here = look();
  return here;
}

}  // namespace hexapla::cpu
