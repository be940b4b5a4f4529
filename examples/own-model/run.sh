#!/usr/bin/env bash
# From a table of sentence pairs to a model with its BLEU: run.sh [PAIRS.tsv [FOLDER [OPTION OF TRAIN...]]]. Without a table,
# 3,000 numbers in words.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# -gt 0 ]; then pairs=$(realpath "$1"); else pairs=""; fi
mkdir -p "${2:-own-model}"
cd "${2:-own-model}"
[ -n "$pairs" ] || { awk -v n=3000 -f "$here/numbers.awk" > pairs.tsv; pairs=pairs.tsv; }

# 1. Look for faults (faults.txt), and write the text without them; a pair that occurs twice stays once.
hexapla data --quiet --tsv "$pairs" --write-clean clean.tsv > faults.txt

# 2. Set apart what the model never trains on: 200 pairs to validate with, 200 to test with; at random, always the same.
sort -R --random-source=clean.tsv clean.tsv > shuffled.tsv
sed -n 1,200p shuffled.tsv > valid.tsv
sed -n 201,400p shuffled.tsv > test.tsv
sed 1,400d shuffled.tsv > train.tsv
[ -s train.tsv ] || { echo "error: the table has no more than 400 different pairs; a model needs thousands" >&2; exit 1; }

# 3. Train; the same command resumes a run that was stopped. Numbers need little: a small model, 90 pieces, 200 updates.
settings=()
if [ $# -gt 2 ]; then
  settings=("${@:3}")
elif [ $# -eq 0 ]; then
  settings=(--enc-layers 2 --dec-layers 2 --dim-model 64 --dim-ff 128 --heads 2 --vocab-size 90 --batch-tokens 2000 --lr 0.004
    --warmup 100 --dropout 0 --valid-every 100 --max-updates 200)
fi
hexapla train --quiet --model run --train-sets train.tsv --valid-sets valid.tsv "${settings[@]}"

# 4. Translate the test set, and score it.
cut -f1 test.tsv > test.source
cut -f2 test.tsv > test.reference
hexapla translate --quiet -m run < test.source > test.translation
hexapla evaluate test.translation test.reference
echo "the model: $PWD/run; its training in pictures: $PWD/run/report.html"
