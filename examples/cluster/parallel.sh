#!/usr/bin/env bash
# Usage: parallel.sh MODEL INPUT PARTS OUTPUT
# Translates missing parts with GNU parallel; complete parts are skipped, so --joblog and --resume are not needed. To use other
# machines, which must share MODEL, INPUT and the folder of OUTPUT, add --sshlogin HOST,HOST.
set -euo pipefail
model=$1 input=$2 parts=$3 output=$4
# Each part has one thread: give more if fewer parts than cores run at a time.
parallel --halt soon,fail=1 --retries 3 --jobs "${JOBS:-$(nproc)}" \
  hexapla translate --quiet --threads 1 -m "$model" --input "$input" --shard "{}/$parts" --output "$output.part-{}" \
  ::: $(seq "$parts")
hexapla join "$output".part-* -o "$output"
rm "$output".part-*
