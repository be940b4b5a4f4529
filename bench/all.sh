#!/usr/bin/env bash
# Measures the figures of docs/benchmarks.md on this machine and writes them to build/benchmarks.md, to be copied into the
# machine's column there. Takes long (compiling a PyTorch model alone takes minutes) and needs otherwise idle cores.
# PYTHON names an interpreter with the peers torch, ctranslate2 and pymarian.
# ISA=avx2 limits hexapla and its peers to these instructions.
#   [ISA=avx2] PYTHON=... bench/all.sh [FILE]
. "$(dirname "${BASH_SOURCE[0]}")/../scripts/common.sh"
out=$(realpath -m "${1:-$ROOT/build/benchmarks.md}")
python=${PYTHON:-python3}
"$python" -c 'import torch, ctranslate2, pymarian' || die "PYTHON=$python lacks torch, ctranslate2 or pymarian; pip install them there"
if [ -n "${ISA:-}" ]; then
  export HEXAPLA_ISA=$ISA CT2_FORCE_CPU_ISA=${ISA^^} ATEN_CPU_CAPABILITY=$ISA ONEDNN_MAX_CPU_ISA=${ISA^^}
fi
build release hexapla_program
cd "$ROOT"
text=$(mktemp)
trap 'rm -f "$text"' EXIT

show() {  # prints a command as typed, and its output
  note "$*"
  printf '```\n$ %s\n' "$*"
  "$@" 2>/dev/null || die "failed: $*"
  printf '```\n\n'
}
python_bench() {
  note "$*"
  printf '```\n$ %s\n' "$*"
  "$python" "$@" 2>/dev/null || die "failed: $*"
  printf '```\n\n'
}
# As for a user, `hexapla` is on the PATH.
PATH="$ROOT/build/release:$PATH"

{
  cat <<'TEXT'
# Benchmarks

Written by `bench/all.sh`: every figure is the output of the command above it. Ratios are medians of pairs measured in
turns in one run; figures differ between machines, and on one machine between days.

TEXT
  printf '`%s`\n\n' "$(date -u +%Y-%m-%d)"
  show hexapla doctor
  printf '## Ops against their limits\n\n'
  for preset in tiny base; do
    for precision in f32 auto; do show hexapla bench ops --preset $preset --precision $precision; done
  done
  printf '## Training against its own products\n\n'
  for preset in tiny base big; do
    note "hexapla bench train --preset $preset, four times"
    printf '```\n$ for round in 1 2 3 4; do hexapla bench train --preset %s --seconds 40; done\n' $preset
    for round in 1 2 3 4; do hexapla bench train --preset $preset --seconds 40 2>/dev/null || die "failed in round $round"; done
    printf '```\n\n'
  done
  printf '## Training against PyTorch\n\n'
  python_bench bench/train_vs_pytorch.py --preset tiny --lengths multi30k --compile --rounds 3
  python_bench bench/train_vs_pytorch.py --preset tiny --lengths wmt --rounds 3
  python_bench bench/train_vs_pytorch.py --preset base --rounds 3 --seconds 12
  python_bench bench/train_vs_pytorch.py --preset big --rounds 2 --seconds 20
  printf '## Translating against CTranslate2\n\n'
  for more in "" "--beam-size 1" "--batch-size 1 --sentences 12" "--batch-size 1 --sentences 12 --beam-size 1" "--threads 2" \
    "--precision bf16"; do
    python_bench bench/translate_vs_ctranslate2.py --preset base --rounds 3 $more
  done
  for more in "" "--beam-size 1" "--batch-size 1 --sentences 64" "--threads 2"; do
    python_bench bench/translate_vs_ctranslate2.py --preset tiny --vocab-size 10000 --sentences 256 $more
  done
  printf '## Translating against Marian\n\n'
  python_bench bench/translate_vs_marian.py --preset base --rounds 3
  python_bench bench/translate_vs_marian.py --preset tiny --vocab-size 10000 --sentences 256 --rounds 3
} > "$text"
mv "$text" "$out"
chmod 644 "$out"
note "written: $out"
