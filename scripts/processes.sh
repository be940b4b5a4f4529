#!/usr/bin/env bash
# Trains one recipe with one process and with several, in f32 and bf16, and compares models, logs and checkpoints byte by
# byte: 1x1, 2x1, 2x2, 3x2 and 4x1 processes x threads, with gradients summed after or during the backward pass,
# accumulation, a moving average, validation and shuffling on disk. Then kills a random process of a run repeatedly
# (kill -9) and resumes it with other numbers of processes.
# Needs mpirun and the MPI plugin (scripts/install_dependencies.sh --mpi).
# Usage: processes.sh HEXAPLA FOLDER KILLS SOURCE TARGET VALID-SOURCE VALID-TARGET
# Example: scripts/processes.sh build/release/hexapla runs 20 a.en a.de v.en v.de
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ $# -eq 7 ] || { sed -n '2,9s/^# //p' "$0"; exit 2; }
have mpirun || die "no mpirun: run scripts/install_dependencies.sh --mpi and build again"
hexapla=$1 folder=$2 kills=$3
updates=300
recipe=(--train-sets "$4" "$5" --valid-sets "$6" "$7" --preset tiny --layers 1 --vocab-size 2000 --batch-tokens 512
  --accumulate 8 --shards 4 --ema 0.99 --clip-norm 1 --average-last 2 --shuffle-memory 1 --max-updates "$updates" --final-model mean
  --valid-every $((updates / 3)) --save-every $((updates / 6)) --report-every 10 --quiet)
export OMP_WAIT_POLICY=passive
launch() {  # processes options...
  local processes=$1
  shift
  mpirun --allow-run-as-root --oversubscribe --bind-to none -n "$processes" "$hexapla" train "${recipe[@]}" "$@"
}
# The log without clock-dependent values.
log_of() { sed 's/, "tokens_per_second.*//; s/, "time": "[^"]*"//' "$1"; }
compare() {  # two runs
  cmp "$1/model.safetensors" "$2/model.safetensors" || die "$2 has another model"
  cmp "$1"/checkpoints/update-*"$updates"/tensors.safetensors "$2"/checkpoints/update-*"$updates"/tensors.safetensors ||
    die "$2 has another checkpoint"
  for log in train.jsonl valid.jsonl; do
    cmp <(log_of "$1/$log") <(log_of "$2/$log") || die "$2 has another $log"
  done
}

mkdir -p "$folder"
for precision in f32 bf16; do
  if [ $precision = bf16 ] && ! grep -qE 'avx512_bf16|amx_bf16' /proc/cpuinfo; then
    note "no bf16 on this processor: left out"
    continue
  fi
  launch 1 --threads 1 --precision $precision --model "$folder/$precision-1x1"
  for run in 2x1-on 2x2-off 3x2-on 4x1-on 4x1-off; do
    processes=${run%x*} rest=${run#*x}
    launch "$processes" --threads "${rest%-*}" --overlap "${run#*-}" --precision $precision --model "$folder/$precision-$run"
    compare "$folder/$precision-1x1" "$folder/$precision-$run"
    note "$precision: ${run%-*}, overlap ${run#*-}, has the bytes of 1x1"
  done
done

killed=0
for ((run = 1, try = 0; killed < kills; ++run)); do  # if a run ends too early, starts another
  model=$folder/killed-$run
  for ((; killed < kills; ++try)); do
    launch $((try % 4 + 1)) --threads 1 --overlap on --precision f32 --model "$model" 2> "$folder/killed.log" &
    launcher=$!
    sleep "$(awk -v seed="$RANDOM" 'BEGIN { srand(seed); print 2 + rand() * 8 }')"
    victim=$(pgrep -f "^$hexapla train .*$model" | shuf -n 1 || true)
    if [ -z "$victim" ]; then wait "$launcher" || true; break; fi
    began=$SECONDS
    kill -9 "$victim" 2> /dev/null || true
    wait "$launcher" 2> /dev/null || true
    [ $((SECONDS - began)) -le 10 ] || die "the run went on for $((SECONDS - began)) s after one of its processes was killed"
    killed=$((killed + 1))
  done
  launch 3 --threads 1 --precision f32 --model "$model"
  compare "$folder/f32-1x1" "$model"
  note "killed $killed times, and resumed by 1 to 4 processes: the bytes are the same"
done
