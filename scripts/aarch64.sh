#!/usr/bin/env bash
# Builds for 64-bit Arm with Debian's cross compiler and runs tests in qemu-user, on a processor with every extension and
# on one with none (Cortex-A53). Emulation takes twenty to a hundred times as long as the processor: whole models are
# trained for derivatives on few of the models only. Nothing here measures speed.
# Usage: aarch64.sh [--quick]; --quick: the kernels alone, as .ci/run does.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$ROOT/scripts/install_dependencies.sh" --aarch64
export OMP_WAIT_POLICY=passive
failed=()
emulate() {  # emulate CPU TEST-PROGRAM FILTER
  local began=$SECONDS
  qemu-aarch64 -cpu "$1" -L "$ROOT/build/aarch64-sysroot" "$ROOT/build/aarch64/$2" --gtest_brief=1 --gtest_filter="$3" >&2 ||
    failed+=("$2 on $1")
  note "$2 on $1: $((SECONDS - began)) s"
}
kernels='*Bf16*:*Quantized*:*CpuMath*:CpuIsa*:CpuPrecision*:CpuBackendTest*'
if [ "${1:-}" = --quick ]; then
  build aarch64 test_backend_cpu
  for cpu in max cortex-a53; do emulate $cpu test_backend_cpu "$kernels"; done
else
  build aarch64 hexapla_program test_backend test_backend_cpu test_model test_decode
  for cpu in max cortex-a53; do
    for program in test_backend test_backend_cpu test_model test_decode; do
      emulate $cpu $program "$([ $program = test_model ] && echo '-WholeModel.Gradients*' || echo '*')"
    done
  done
fi
[ ${#failed[@]} -eq 0 ] || die "aarch64: failed: ${failed[*]}"
