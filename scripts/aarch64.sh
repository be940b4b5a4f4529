#!/usr/bin/env bash
# Builds for 64-bit Arm with Debian's cross compiler and runs tests in qemu-user, on a processor with every extension and
# on one with none (Cortex-A53). Emulation takes twenty to a hundred times as long as the processor: whole models are
# trained for derivatives on few of the models only. Nothing here measures speed.
# Usage: aarch64.sh [--quick | --program]. --quick: the kernels alone. --program: the program alone, whose training
# and translations are compared with those of this machine's program, byte by byte.
# QEMU names another emulator. Version 7.2 of Debian 12 aborts in children of programs with threads (half of test_decode);
# version 10 of Debian 13 does not: it is one file that runs anywhere, usr/bin/qemu-aarch64 of the package qemu-user.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$ROOT/scripts/install_dependencies.sh" --aarch64
export OMP_WAIT_POLICY=passive
failed=()
on() { "${QEMU:-qemu-aarch64}" -cpu "$1" -L "$ROOT/build/aarch64-sysroot" "$ROOT/build/aarch64/$2" "${@:3}"; }  # on CPU PROGRAM ARGUMENTS
emulate() {  # emulate CPU TEST-PROGRAM FILTER
  local began=$SECONDS
  on "$1" "$2" --gtest_brief=1 --gtest_filter="$3" >&2 || failed+=("$2 on $1")
  note "$2 on $1: $((SECONDS - began)) s"
}

# Portable kernels give the same bits on both architectures, so a run and its model have the same bytes; each program goes
# on with the other's run.
compare_programs() {
  local text=$ROOT/tests/fixtures/run_of_0.1.0 here=$ROOT/build/release/hexapla work cpu
  local train=(train --train-sets "$text/train.a" "$text/train.b" --preset tiny --vocab-size 40 --precision f32
    --batch-tokens 200 --save-every 2 --threads 1 --quiet)
  work=$(mktemp -d)
  HEXAPLA_ISA=generic "$here" "${train[@]}" --max-updates 4 --model "$work/here" || return
  HEXAPLA_ISA=generic on max hexapla "${train[@]}" --max-updates 4 --model "$work/arm" || return
  cmp "$work/here/model.safetensors" "$work/arm/model.safetensors" || return
  on max hexapla "${train[@]}" --max-updates 6 --model "$work/here" || return
  "$here" "${train[@]}" --max-updates 6 --model "$work/arm" || return
  "$here" translate -q -m "$work/here" < "$text/valid.a" > "$work/lines" || return
  for cpu in max cortex-a53; do
    on $cpu hexapla translate -q -m "$work/here" < "$text/valid.a" > "$work/$cpu" || return
    cmp "$work/$cpu" "$work/lines" || return
  done
  rm -rf "$work"
  note "a training and translations by the program: the same bytes as here"
}

kernels='*Bf16*:*Quantized*:*CpuMath*:CpuIsa*:CpuPrecision*:CpuBackendTest*'
case ${1:-} in
  --quick)
    build aarch64 test_backend_cpu
    for cpu in max cortex-a53; do emulate $cpu test_backend_cpu "$kernels"; done
    ;;
  --program)
    build aarch64 hexapla_program
    build release hexapla_program
    compare_programs || failed+=("the program")
    ;;
  *)
    build release hexapla_program
    build aarch64 hexapla_program test_backend test_backend_cpu test_model test_decode
    compare_programs || failed+=("the program")
    for cpu in max cortex-a53; do
      for program in test_backend test_backend_cpu test_model test_decode; do
        emulate $cpu $program '*'
      done
    done
    ;;
esac
[ ${#failed[@]} -eq 0 ] || die "aarch64: failed: ${failed[*]}"
