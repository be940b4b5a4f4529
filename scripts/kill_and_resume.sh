#!/usr/bin/env bash
# Trains once without interruption and once killed (kill -9) at random moments, and compares the models byte by byte.
# Usage: kill_and_resume.sh HEXAPLA KILLS FOLDER SECONDS OPTIONS-OF-TRAIN...
#   SECONDS: the longest time between a start and its kill; OPTIONS: all options except --model.
# Example: kill_and_resume.sh build/release/hexapla 20 kills 10 --train-sets a.en a.de --preset tiny
#          --max-updates 500 --save-every 50 --shuffle-memory 1 --subword-alpha 0.2
set -euo pipefail
[ $# -ge 6 ] || { sed -n '2,7s/^# //p' "$0"; exit 2; }
hexapla=$1 kills=$2 folder=$3 seconds=$4
shift 4
mkdir -p "$folder"
[ ! -e "$folder/whole" ] && [ ! -e "$folder/killed" ] || { echo "$folder holds earlier runs: remove them"; exit 2; }

"$hexapla" train "$@" --model "$folder/whole" --quiet
done_kills=0
while [ "$done_kills" -lt "$kills" ]; do
  # Every other start uses a single thread: the result does not depend on it.
  "$hexapla" train "$@" --model "$folder/killed" --quiet --threads $((done_kills % 2)) &
  run=$!
  sleep "$(awk -v most="$seconds" -v seed="$RANDOM" 'BEGIN { srand(seed); print 0.05 + rand() * most }')"
  kill -9 "$run" 2> /dev/null || { wait "$run" || true; echo "the run ended before kill $((done_kills + 1))"; break; }
  wait "$run" 2> /dev/null || true
  done_kills=$((done_kills + 1))
done
"$hexapla" train "$@" --model "$folder/killed" --quiet
cmp "$folder/whole/model.safetensors" "$folder/killed/model.safetensors"
echo "killed $done_kills times: the model is the same, byte for byte"
