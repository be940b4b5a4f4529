#!/usr/bin/env bash
# Trains the best models for lower-cased Multi30k that we know of, from its text alone:
#   1. of preset tiny, one training on both directions, then one per direction: the teachers
#   2. translate the training set with them in both directions: three times as many pairs
#   3. twice as wide, one training on both directions of all these pairs
#   4. one short training per direction on the original pairs
#   5. English to German: one more on all its pairs, with four translations of each German line sampled from model 3
# Prints BLEU on test 2016 for each, with the length penalty that is best in validation.
#   scripts/multi30k_best.sh [FOLDER]
# HEXAPLA_MULTI30K names the corpus as for multi30k.sh. BOTH (6000), ONE (2800), WIDE (20000), LAST (560) and
# SAMPLED (4000) are the lengths of the trainings in updates. Resumes stopped trainings.
# On two cores, `mpirun -n 2` before trainings with --shards 2 saves a sixth of the time; same bytes.
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

for pair in "en de" "de en"; do
  read -r from to <<<"$pair"
  "$hexapla" train --model "$from-$to" "${recipe[@]}" --init-from both --lr 3e-3 --warmup 400 --schedule linear \
    --max-updates "${ONE:-2800}" --valid-every 10e --train-sets "$data/train.$from.gz" "$data/train.$to.gz" \
    --valid-sets "$data/val.$from.gz" "$data/val.$to.gz" || exit
done

lower() { LC_ALL=C.UTF-8 sed 's/.*/\L&/'; }
for language in en de; do
  for set in train val test_2016_flickr; do
    [ -f "$set.$language" ] && continue
    gzip -dc "$data/$set.$language.gz" | lower >part && mv part "$set.$language" || exit
  done
done
for pair in "en de" "de en"; do
  read -r from to <<<"$pair"
  [ -f "translated.$to" ] && continue
  gzip -dc "$data/train.$from.gz" |
    "$hexapla" translate -m "$from-$to" -m both --beam-size 4 --length-normalization power --length-penalty 1.6 --quiet |
    lower >part && mv part "translated.$to" || exit
done
cat train.en train.de train.en train.de translated.en translated.de >wide.source
cat train.de train.en translated.de translated.en train.de train.en >wide.target
cat val.en val.de >wide-val.source
cat val.de val.en >wide-val.target

recipe+=(--dim-model 256 --dim-ff 512)
"$hexapla" train --model wide "${recipe[@]}" --vocab-size 6000 --batch-tokens 2048 --accumulate 2 --shards 2 --lr 2e-3 \
  --warmup 1500 --max-updates "${WIDE:-20000}" --valid-every 500 --save-every 500 --train-sets wide.source wide.target \
  --valid-sets wide-val.source wide-val.target || exit
for pair in "en de" "de en"; do
  read -r from to <<<"$pair"
  "$hexapla" train --model "wide-$from-$to" "${recipe[@]}" --init-from wide --batch-tokens 4096 --lr 4e-4 --warmup 50 \
    --schedule linear --max-updates "${LAST:-560}" --valid-every 80 --save-every 80 --average-last 3 \
    --train-sets "train.$from" "train.$to" --valid-sets "val.$from" "val.$to" || exit
done

# Skips samples equal to the reference or to an earlier sample of the line.
if ! [ -f sampled.de ]; then
  "$hexapla" translate -m wide --sample --n-best 4 --top-p 0.8 --precision bf16 --quiet <train.de >samples &&
    awk -F ' [|][|][|] ' 'FILENAME == ARGV[1] { target[FNR - 1] = $0; next }
      FILENAME == ARGV[2] { seen[FNR - 1, $0]; next }
      $2 != "" && !(($1, $2) in seen) { seen[$1, $2]; print $2 >"sampled.en"; print target[$1] >"part" }' \
      train.de train.en samples && mv part sampled.de || exit
fi
"$hexapla" train --model sampled-en-de "${recipe[@]}" --init-from wide --batch-tokens 4096 --lr 5.5e-4 --warmup 50 \
  --schedule linear --max-updates "${SAMPLED:-4000}" --valid-every 400 --save-every 400 --average-last 3 \
  --train-sets train.en train.de train.en train.de train.en translated.de translated.en train.de sampled.en sampled.de \
  --valid-sets val.en val.de || exit

# bleu PENALTY SET FROM TO model...
bleu() {
  local penalty=$1 set=$2 from=$3 to=$4 models=()
  shift 4
  for model in "$@"; do models+=(-m "$model"); done
  "$hexapla" translate "${models[@]}" --beam-size 5 --length-normalization power --length-penalty "$penalty" --quiet \
    <"$set.$from" | "$hexapla" evaluate - "$set.$to" --lowercase --metrics bleu
}
# report FROM TO model...
report() {
  local best=0 found penalty score
  for penalty in 0.6 1 1.4 1.8; do
    score=$(bleu $penalty val "$@" | awk '{ print $3 }')
    if awk "BEGIN { exit !($score > $best) }"; then best=$score found=$penalty; fi
  done
  echo "$1-$2, ${*:3}: length penalty $found (BLEU in validation $best); on test 2016:"
  bleu "$found" test_2016_flickr "$@"
}
for pair in "en de" "de en"; do
  read -r from to <<<"$pair"
  report "$from" "$to" wide
  report "$from" "$to" "wide-$from-$to"
  report "$from" "$to" "wide-$from-$to" wide
done
report en de sampled-en-de
