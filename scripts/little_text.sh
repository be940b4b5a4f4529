#!/usr/bin/env bash
# Measures the gain of each method for small corpora on Multi30k: a recipe alone and with each method, with the same
# seed and number of updates. Prints BLEU and chrF on test 2016, compared with the recipe alone (with p), and minutes of
# training in processor time, which other programs do not affect. Skips finished trainings and resumes stopped ones.
#   scripts/little_text.sh [--german-english] [FOLDER] [options of hexapla train]
# HEXAPLA_MULTI30K names the corpus as for multi30k.sh. UPDATES (5000) is the length of each training, with 2,048 target
# tokens per update, VOCABULARY (10000) its number of pieces; METHODS (default all) to run: subword
# both-directions distill back-translate together.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
data=${HEXAPLA_MULTI30K:-}
[ -f "$data/train.en.gz" ] || die "set HEXAPLA_MULTI30K to the folder with train.en.gz (github.com/multi30k/dataset, data/task1/raw)"
data=$(realpath "$data")
from=en to=de
if [ "${1:-}" = --german-english ]; then from=de to=en; shift; fi
folder=$(realpath -m "${1:-little-text}")
[ $# -gt 0 ] && shift
more=("$@")
updates=${UPDATES:-5000}
methods=${METHODS:-subword both-directions distill back-translate together}
"$ROOT/scripts/install_dependencies.sh"
build release hexapla_program
hexapla="$ROOT/build/release/hexapla"
mkdir -p "$folder"
# A config file, so that options of the caller override it.
printf '%s\n' 'preset: tiny' 'batch-tokens: 2048' 'lr: 3e-3' 'warmup: 800' 'dropout: 0.2' 'valid-every: 4e' 'seed: 1' \
  >"$folder/recipe.yml"

pairs=("$data/train.$from.gz" "$data/train.$to.gz")
test_pairs=("$data/test_2016_flickr.$from.gz" "$data/test_2016_flickr.$to.gz")
valid=("$data/val.$from.gz" "$data/val.$to.gz")
search=(--beam-size 5 --length-penalty 1 --length-normalization power)

# Sets processor_seconds to the time used by programs that this shell started. Not for $(...): a subshell starts at 0.
read_processor_seconds() {
  times >"$folder/times"
  processor_seconds=$(sed 's/s//g; s/m/ /g' "$folder/times" | awk 'NR == 2 { printf "%.0f", 60 * ($1 + $3) + $2 + $4 }')
}

# train NAME UPDATES SOURCE TARGET options...
train() {
  local name=$1 n=$2 sets=("$3" "$4") before
  shift 4
  [ -f "$folder/$name.minutes" ] && return
  read_processor_seconds
  before=$processor_seconds
  "$hexapla" train --model "$folder/$name" -c "$folder/recipe.yml" --max-updates "$n" --train-sets "${sets[@]}" \
    --valid-sets "${valid[@]}" "$@" ${more[@]+"${more[@]}"} || exit
  read_processor_seconds
  awk "BEGIN { printf \"%.1f\\n\", ($processor_seconds - $before) / 60 }" >"$folder/$name.minutes"
}
# The same with a new vocabulary.
train_anew() { train "$@" --vocab-size "${VOCABULARY:-10000}"; }
# Both directions for half of the updates, then only the requested one.
train_both_directions() {
  local name=$1
  shift
  if [ ! -f "$folder/both.$from" ]; then
    "$hexapla" augment --both-directions --train-sets "${pairs[@]}" -o "$folder/both.$from" "$folder/both.$to" || exit
  fi
  train_anew "$name-first" $((updates / 2)) "$folder/both.$from" "$folder/both.$to"
  train "$name" $((updates / 2)) "${pairs[@]}" --init-from "$folder/$name-first" "$@"
}
# made NAME options of augment...: writes pairs to $folder/NAME.$from.gz and .$to.gz
made() {
  local name=$1
  shift
  [ -f "$folder/$name.$to.gz" ] || "$hexapla" augment "$@" -o "$folder/$name.$from.gz" "$folder/$name.$to.gz" || exit
}
half() { [ -f "$folder/$1" ] || gzip -dc "$data/train.$2.gz" | awk "NR % 2 == $3" >"$folder/$1"; }

run() {
  case $1 in
    alone) train_anew alone "$updates" "${pairs[@]}" ;;
    subword) train_anew subword "$updates" "${pairs[@]}" --subword-alpha 0.5 ;;
    both-directions) train_both_directions both-directions ;;
    distill)  # its own teacher
      made distilled --distill -m "$folder/alone" --train-sets "${pairs[@]}"
      train_anew distill "$updates" "$folder/distilled.$from.gz" "$folder/distilled.$to.gz"
      ;;
    half)  # of the pairs: the baseline for back-translating the other half's target side
      half "half.$from" "$from" 0
      half "half.$to" "$to" 0
      train_anew half "$updates" "$folder/half.$from" "$folder/half.$to"
      ;;
    back-translate)
      half "rest.$to" "$to" 1
      valid=("${valid[1]}" "${valid[0]}")
      train_anew reverse "$updates" "$folder/half.$to" "$folder/half.$from"
      valid=("${valid[1]}" "${valid[0]}")
      made back --back-translate "$folder/rest.$to" -m "$folder/reverse" --train-sets "$folder/half.$from" "$folder/half.$to"
      train_anew back-translate "$updates" "$folder/back.$from.gz" "$folder/back.$to.gz" --user-symbols '<BT>'
      ;;
    together) train_both_directions together --subword-alpha 0.5 ;;
    *) die "there is no method '$1'" ;;
  esac
  [ -f "$folder/$1.out" ] || gzip -dc "${test_pairs[0]}" | "$hexapla" translate -m "$folder/$1" "${search[@]}" >"$folder/$1.out"
}

# compare BASELINE METHOD...
compare() {
  local baseline=$1 name others=()
  shift
  for name in "$@"; do others+=(--compare "$folder/$name.out"); done
  echo
  for name in "$baseline" "$@"; do
    echo "$name: $(cat "$folder/$name.minutes" "$folder/$name-first.minutes" 2>/dev/null | paste -sd+) min of training"
  done
  "$hexapla" evaluate "$folder/$baseline.out" "${test_pairs[1]}" --lowercase "${others[@]}"
}

run alone
against=()
for method in $methods; do
  if [ "$method" = back-translate ]; then run half; else against+=("$method"); fi
  run "$method"
done
[ ${#against[@]} -gt 0 ] && compare alone "${against[@]}"
case " $methods " in *" back-translate "*) compare half back-translate ;; esac
