#include "backend/cpu/processor.h"

#ifdef HEXAPLA_X86_KERNELS
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(HEXAPLA_ARM_KERNELS)
#include <sys/auxv.h>
#endif

namespace hexapla::cpu {
namespace {

#ifdef HEXAPLA_X86_KERNELS
#ifndef HEXAPLA_EMULATED
// AMX with bf16 and int8, and permission from Linux to use it: the process has to ask (since 5.16),
// because the state of every thread grows by 8 KB.
bool may_use_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  constexpr unsigned bf16 = 1u << 22, tile = 1u << 24, int8 = 1u << 25, all = bf16 | tile | int8;
  constexpr long ask_permission = 0x1023, tile_data = 18;
  return (d & all) == all && syscall(SYS_arch_prctl, ask_permission, tile_data) == 0;
}

bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1u << 4);
}
#endif

Processor look() {
  Processor p;
  p.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  p.avx512 = p.avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#ifdef HEXAPLA_EMULATED  // in tests with emulated/instructions.h
  p.bf16 = p.fast_bf16 = p.eight_bit_dot = p.tiles = p.avx512;
  p.short_dot = p.avx2;
#else
  p.bf16 = __builtin_cpu_supports("avx512bf16");
  // Intel's vector units multiply bf16 at half the rate of f32 (measured on a Xeon with AMX: 0.12
  // and 0.20 TFLOP/s per core), AMD's at twice the rate.
  p.fast_bf16 = p.bf16 && !__builtin_cpu_is("intel");
  p.eight_bit_dot = p.avx512 && __builtin_cpu_supports("avx512vnni");
  p.short_dot = p.avx2 && has_avx_vnni();
  p.tiles = p.avx512 && p.bf16 && p.eight_bit_dot && may_use_amx();
#endif
  return p;
}
#elif defined(HEXAPLA_ARM_KERNELS)
Processor look() {
  const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  Processor p;
  p.neon = first & HWCAP_ASIMD;
  p.eight_bit_dot = first & HWCAP_ASIMDDP;
  p.eight_bit_matrices = second & HWCAP2_I8MM;
  p.bf16 = second & HWCAP2_BF16;
  return p;
}
#else
Processor look() { return {}; }
#endif

}  // namespace

const Processor& processor() {
  static const Processor here = look();
  return here;
}

}  // namespace hexapla::cpu
