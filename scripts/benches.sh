#!/usr/bin/env bash
# Runs every measurement of bench/ once, small, to check that it works. HEXAPLA_PEERS names a Python that has the peers
# (ctranslate2, sacrebleu, sentencepiece, protobuf, numpy, pymarian, torch, libretranslate, and hexapla's own package);
# HEXAPLA_BERGAMOT names a folder and a Python for translate_vs_bergamot.py, "FOLDER PYTHON". Reports and skips what is
# missing. Also skips bench/all.sh, which measures the figures of docs/benchmarks.md and takes hours.
#   HEXAPLA_PEERS=... scripts/benches.sh [path of hexapla]
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
program=$(realpath "${1:-$ROOT/build/release/hexapla}")
python=${HEXAPLA_PEERS:-python3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
left_out=0

# bench SCRIPT "PACKAGES" arguments...: the Python must be able to import PACKAGES.
bench() {
  local script=$1 package missing=()
  for package in $2; do "$python" -c "import $package" 2>/dev/null || missing+=("$package"); done
  shift 2
  if [ ${#missing[@]} -gt 0 ]; then
    note "left out: bench/$script: $python has no ${missing[*]} (HEXAPLA_PEERS names another)"
    left_out=$((left_out + 1))
    return
  fi
  note "bench/$script $*"
  "$python" "$ROOT/bench/$script" "$@" || die "bench/$script failed; the reason is above"
}

# Separate vocabularies, the default.
"$ROOT/scripts/made_up_corpus.py" 800 "$dir/text" >/dev/null
"$program" train --model "$dir/run" --preset tiny --layers 1 --dim-model 32 --dim-ff 64 --vocab-size 120 --max-updates 30 --warmup 10 \
  --train-sets "$dir/text.src" "$dir/text.trg" --quiet
head -n 40 "$dir/text.src" > "$dir/source"
head -n 40 "$dir/text.trg" > "$dir/reference"
short=(--hexapla "$program" --rounds 1)
fixed=("${short[@]}" --sentences 8 --length 8)

bench opus_mt.py "numpy sentencepiece google.protobuf" "$dir/opus" --layers 1 --width 64 --inner 128 --pieces 500
bench import_memory.py "sentencepiece google.protobuf" --hexapla "$program" --layers 1 --pieces 5000
bench translate_vs_ctranslate2.py "ctranslate2 numpy sentencepiece google.protobuf" "${fixed[@]}" --preset tiny --vocab-size 1000
bench translate_vs_ctranslate2.py "ctranslate2 numpy sentencepiece google.protobuf" "${fixed[@]}" --preset opus-mt --sentences 2
for precision in f32 int8; do
  bench translate_vs_ctranslate2.py "ctranslate2 sentencepiece sacrebleu" "${short[@]}" -m "$dir/run" --source "$dir/source" \
    --reference "$dir/reference" --precision $precision
done
bench translate_vs_marian.py "pymarian numpy" "${fixed[@]}" --preset tiny --vocab-size 1000
bench train_vs_pytorch.py "torch numpy" "${short[@]}" --preset tiny --vocab-size 500 --batch-tokens 256 --seconds 1
if have mpirun && [ -e "$(dirname "$program")/hexapla_mpi.so" ]; then
  torch=torch peer=()
  "$python" -c "import torch" 2>/dev/null || torch="" peer=(--no-peer)
  bench processes_vs_ddp.py "$torch" "${short[@]}" --updates 5 --vocab-size 120 --batch-tokens 256 "${peer[@]}" "$dir/text.src" "$dir/text.trg"
else
  note "left out: bench/processes_vs_ddp.py: there is no mpirun, or hexapla was built without MPI"
  left_out=$((left_out + 1))
fi
bench serve_latency.py hexapla --hexapla "$program" -m "$dir/run" --source "$dir/source" --lines 20
bench serve_vs_libretranslate.py "ctranslate2 sentencepiece libretranslate" --hexapla "$program" -m "$dir/run/model.safetensors" \
  --source "$dir/source" --connections 2 --seconds 1 --rounds 1
if [ -n "${HEXAPLA_BERGAMOT:-}" ]; then
  bench translate_vs_bergamot.py "" "${HEXAPLA_BERGAMOT% *}" --python "${HEXAPLA_BERGAMOT##* }" "${short[@]}" --source "$dir/source"
else
  note "left out: bench/translate_vs_bergamot.py: HEXAPLA_BERGAMOT names no folder and Python"
  left_out=$((left_out + 1))
fi

for script in "$ROOT"/bench/*.py; do
  grep -q "^ *bench $(basename "$script") " "$0" || die "$script is not run here"
done
note "benches: all that can run here do; $left_out left out"
