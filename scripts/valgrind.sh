#!/usr/bin/env bash
# Runs under valgrind the tests that pass text through system libraries, which sanitizers do not instrument:
# SentencePiece, utf8proc, the compressors, MeCab. Only valgrind detects their use of freed or uninitialized memory.
# Toy models only, and no test that trains for long or starts programs.
# Usage: valgrind.sh [FOLDER-OF-THE-TESTS]; the default is the release build, which is built first.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
have valgrind || die "valgrind is missing; scripts/install_dependencies.sh --nightly installs it"
folder=${1:-$ROOT/build/release}
if [ $# -eq 0 ]; then build release test_text test_data test_evaluate test_decode test_cli >&2; fi

# valgrind supports these instruction sets, and runs one thread at a time: spinning threads would starve it.
export HEXAPLA_ISA=avx2 ONEDNN_MAX_CPU_ISA=AVX2 OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2
failed=()
look_at() {  # look_at TEST-PROGRAM FILTER
  local began=$SECONDS status=0
  valgrind -q --error-exitcode=99 --num-callers=24 --fair-sched=yes --suppressions="$ROOT/scripts/valgrind.supp" \
    "$folder/$1" --gtest_brief=1 --gtest_filter="$2" >&2 || status=$?
  note "$1: $((SECONDS - began)) s"
  [ $status -eq 0 ] || failed+=("$1")
}
look_at test_text 'Parted.*:Sentences.*:TokensOfText.*:Words.*:PlainLine.*:Charsmap.*:Vocabulary.*'
look_at test_data 'EncodeCorpus.*:Gold.*:Pharaoh.*:ParallelText.*:TrainingTexts.*'
look_at test_evaluate 'Languages/*:*Mecab*'
look_at test_decode 'Align*:Score.*:TextScorerTest.*:RescoringTest.*:Phrases.*:PieceTextsTest.*:TranslatorTest.*'
look_at test_cli 'ScoreCommand.*:InspectCommand.*'
[ ${#failed[@]} -eq 0 ] || die "valgrind: errors in ${failed[*]}"
