#!/usr/bin/env bash
# Prepares a class about the Transformer in FOLDER: run.sh [FOLDER] [UPDATES]. A model, an experiment of the
# laboratory, and a page to hand out, which needs no server.
set -euo pipefail
mkdir -p "${1:-class}"
cd "${1:-class}"

# 1. A small Transformer that reads dates: the class looks into it.
echo "What a model that was trained for seconds reads in '3 March 2023':"
hexapla demo --quiet --model dates --max-updates "${2:-150}" --text "3 March 2023"

# 2. The experiment that the class predicts first and then reads: is the feed-forward network a memory? Without the last
#    two options it takes a minute or two and has enough seeds for a verdict.
hexapla lab ffn --quiet -o lab --updates "${2:-150}" --seeds 1 > findings

# 3. The tour for one sentence as one file, for those who have no server at home.
hexapla explain -m dates --src "3 March 2023" --out tour.html
echo "read $PWD/findings and $PWD/lab/ffn.md, open $PWD/tour.html, and show $PWD/dates by: hexapla serve -m $PWD/dates"
