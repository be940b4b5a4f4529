#!/usr/bin/env bash
# Trains a small model on file systems of fifty sizes, from "the first checkpoint does not fit" to "everything fits".
# Each run must give a model whose BLEU is within 1 of the best one's, or an error. Needs permission to mount a tmpfs
# (root, or user namespaces); without it, says so and tests nothing.
# Usage: full_disk.sh HEXAPLA [SIZES]
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,5s/^# //p' "$0"; exit 2; }
hexapla=$(realpath "$1") sizes=${2:-50}
if [ -z "${FULL_DISK_MOUNTS:-}" ]; then
  for namespace in -m -Urm; do
    if unshare "$namespace" mount -t tmpfs none /mnt 2> /dev/null; then
      FULL_DISK_MOUNTS=1 exec unshare "$namespace" "$0" "$hexapla" "$sizes"
    fi
  done
  echo "full disk: not tested, a tmpfs cannot be mounted here"
  exit 0
fi

work=$(mktemp -d)
trap 'umount -q "$work/disk" || true; rm -rf "$work"' EXIT
mkdir "$work/disk"
awk 'BEGIN {
  srand(7); split("red green small large house tree dog cat", a); split("rot gruen klein gross haus baum hund katze", b)
  for (i = 0; i < 400; ++i) {
    x = y = ""
    for (n = 1 + int(rand() * 5); n > 0; --n) { w = 1 + int(rand() * 8); x = x a[w] " "; y = b[w] " " y }
    print x > "'"$work"'/a"; print y > "'"$work"'/b"
  }
}'
train() {
  "$hexapla" train --quiet --threads 2 --model "$1" --train-sets "$work/a" "$work/b" --valid-sets "$work/a" "$work/b" \
    --vocab-size 60 --layers 1 --dim-model 64 --dim-ff 256 --heads 2 --dropout 0 --batch-tokens 512 --lr 5e-3 \
    --warmup 50 --max-updates 400 --save-every 20 --valid-every 40 --average-last 10 --precision f32
}
history() { "$hexapla" info -m "$1" | sed -n "s/^  $2  *//p"; }

train "$work/whole"
checkpoint=$(du -sk "$work/whole/checkpoints" | cut -f1)
checkpoint=$((checkpoint / $(ls -d "$work"/whole/checkpoints/update-* | wc -l)))
all=$(($(du -sk "$work/whole" | cut -f1) + checkpoint + 200))
best=$(history "$work/whole/model.safetensors" best_valid_bleu)
echo "a checkpoint takes $checkpoint KiB, everything $all KiB; the best model has BLEU $best"
good=0 errors=0 wrong=0
for ((i = 0; i < sizes; ++i)); do
  size=$((checkpoint / 2 + (all - checkpoint / 2) * i / (sizes - 1)))
  mount -t tmpfs -o "size=${size}k" none "$work/disk"
  code=0 bleu=-1
  train "$work/disk/run" 2> "$work/err" || code=$?
  [ ! -e "$work/disk/run/model.safetensors" ] || bleu=$(history "$work/disk/run/model.safetensors" valid_bleu)
  umount "$work/disk"
  if [ $code -ne 0 ]; then
    grep -q '^hexapla: error: ' "$work/err" || { echo "$size KiB: exit code $code without a message"; wrong=$((wrong + 1)); }
    errors=$((errors + 1))
  elif awk -v bleu="${bleu:--1}" -v best="$best" 'BEGIN { exit !(bleu >= best - 1) }'; then
    good=$((good + 1))
  else
    echo "$size KiB: exit code 0, but BLEU $bleu where the best has $best"
    wrong=$((wrong + 1))
  fi
  [ $code -eq 0 ] || [ $code -eq 1 ] || { echo "$size KiB: exit code $code"; wrong=$((wrong + 1)); }
done
echo "full disk: $good of $sizes sizes gave a model as good as the best, $errors an error, $wrong neither"
[ "$wrong" -eq 0 ]
