#!/usr/bin/env bash
# Usage: parallel.sh MODEL INPUT PARTS OUTPUT
# GNU parallel starts what is missing; --joblog and --resume are not needed, a part that is whole is left alone. To use other
# machines, on which MODEL, INPUT and the folder of OUTPUT are the same files, add --sshlogin HOST,HOST.
set -euo pipefail
model=$1 input=$2 parts=$3 output=$4
# A part has one thread: with fewer parts at a time than cores, give more.
parallel --halt soon,fail=1 --retries 3 --jobs "${JOBS:-$(nproc)}" \
  hexapla translate --quiet --threads 1 -m "$model" --input "$input" --shard "{}/$parts" --output "$output.part-{}" \
  ::: $(seq "$parts")
hexapla join "$output".part-* -o "$output"
rm "$output".part-*
