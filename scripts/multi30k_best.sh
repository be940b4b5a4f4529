#!/usr/bin/env bash
# The best models of preset tiny for Multi30k that we know how to train from its text alone: one training on both
# directions, then one per direction with R-Drop; BLEU on test 2016 of each, with the length penalty that is best in
# validation, and of both in an ensemble with the model they began with.
#   scripts/multi30k_best.sh [FOLDER]
# HEXAPLA_MULTI30K names the corpus as for multi30k.sh. BOTH (6000) and ONE (2800) are the lengths of the two trainings in
# updates of 8,192 target tokens. A training that was stopped goes on.
# On two cores, `mpirun -n 2` before the first training and both directions at a time take a sixth less; same bytes.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
data=${HEXAPLA_MULTI30K:-}
[ -f "$data/train.en.gz" ] || die "set HEXAPLA_MULTI30K to the folder with train.en.gz (github.com/multi30k/dataset, data/task1/raw)"
data=$(realpath "$data")
folder=$(realpath -m "${1:-multi30k-best}")
"$ROOT/scripts/install_dependencies.sh"
build release hexapla_program
hexapla="$ROOT/build/release/hexapla"
mkdir -p "$folder"
cd "$folder" || exit

recipe=(--preset tiny --subword-alpha 0.5 --seed 1 --report-every 1e)
for set in train val; do
  [ -f "$set.target" ] ||
    "$hexapla" augment --both-directions --train-sets "$data/$set.en.gz" "$data/$set.de.gz" -o "$set.source" "$set.target" || exit
done
"$hexapla" train --model both "${recipe[@]}" --vocab-size 10000 --batch-tokens 4096 --accumulate 2 --shards 2 \
  --max-updates "${BOTH:-6000}" --valid-every 20e --train-sets train.source train.target --valid-sets val.source val.target || exit

# bleu PENALTY SET FROM TO model...
bleu() {
  local penalty=$1 set=$2 from=$3 to=$4 models=()
  shift 4
  for model in "$@"; do models+=(-m "$model"); done
  "$hexapla" translate "${models[@]}" --beam-size 5 --length-normalization power --length-penalty "$penalty" --quiet \
    <(gzip -dc "$data/$set.$from.gz") | "$hexapla" evaluate - "$data/$set.$to.gz" --lowercase --metrics bleu
}
# report FROM TO model...
report() {
  local best=0 found penalty score
  for penalty in 0.6 0.8 1 1.2 1.4 1.6; do
    score=$(bleu $penalty val "$@" | sed 's/.* = \([0-9.]*\) .*/\1/')
    if awk "BEGIN { exit !($score > $best) }"; then best=$score found=$penalty; fi
  done
  echo "$1-$2, ${*:3}: length penalty $found (BLEU in validation $best); on test 2016:"
  bleu "$found" test_2016_flickr "$@"
}
for pair in "en de" "de en"; do
  read -r from to <<<"$pair"
  "$hexapla" train --model "$from-$to" "${recipe[@]}" --init-from both --r-drop 5 --lr 3e-3 --warmup 400 --schedule linear \
    --max-updates "${ONE:-2800}" --valid-every 10e --train-sets "$data/train.$from.gz" "$data/train.$to.gz" \
    --valid-sets "$data/val.$from.gz" "$data/val.$to.gz" || exit
done
for pair in "en de" "de en"; do
  read -r from to <<<"$pair"
  report "$from" "$to" both
  report "$from" "$to" "$from-$to"
  report "$from" "$to" "$from-$to" both
done
