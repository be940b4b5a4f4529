#!/usr/bin/env bash
# Trains a model on Multi30k and computes BLEU on test 2016: English to German, or the reverse with --german-english;
# 30 minutes of training with small batches or, with --long, the unchanged recipe of preset tiny.
#   scripts/multi30k.sh [--german-english] [--long] [FOLDER] [options of hexapla train]
# HEXAPLA_MULTI30K names the folder with train.en.gz, val.en.gz, test_2016_flickr.en.gz and those of .de.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
data=${HEXAPLA_MULTI30K:-}
[ -f "$data/train.en.gz" ] || die "set HEXAPLA_MULTI30K to the folder with train.en.gz (github.com/multi30k/dataset, data/task1/raw)"
# As a config file, so that options of the caller override it.
recipe=('batch-tokens: 2048' 'lr: 3e-3' 'warmup: 800' 'dropout: 0.2' 'max-minutes: 30' 'valid-every: 4e')
from=en to=de
while :; do
  case ${1:-} in
    --long) recipe=('valid-every: 10e') ;;
    --german-english) from=de to=en ;;
    *) break ;;
  esac
  shift
done
run=$(realpath -m "${1:-multi30k}")
data=$(realpath "$data")
[ $# -gt 0 ] && shift
"$ROOT/scripts/install_dependencies.sh"
build release hexapla_program
hexapla="$ROOT/build/release/hexapla"

recipe+=('preset: tiny' 'vocab-size: 10000' 'report-every: 1e' 'seed: 1')
options=$(mktemp --suffix=.yml)
trap 'rm -f "$options"' EXIT
printf '%s\n' "${recipe[@]}" >"$options"
"$hexapla" train --model "$run" -c "$options" \
  --train-sets "$data/train.$from.gz" "$data/train.$to.gz" --valid-sets "$data/val.$from.gz" "$data/val.$to.gz" "$@" || exit
"$hexapla" evaluate -m "$run" "$data/test_2016_flickr.$from.gz" "$data/test_2016_flickr.$to.gz" \
  --lowercase --beam-size 5 --length-penalty 1 --length-normalization power
