#!/usr/bin/env bash
# Runs under valgrind the tests whose text goes through libraries that no sanitizer looks into, because they are used as
# the system has them: SentencePiece, utf8proc, the compressors, MeCab. A use of memory that they have freed, or have
# not written, is seen here only. Toy models, and no test that trains for long or starts programs.
# Usage: valgrind.sh [FOLDER-OF-THE-TESTS]; without one the release build is made and taken.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
have valgrind || die "valgrind is missing; scripts/install_dependencies.sh --nightly installs it"
folder=${1:-$ROOT/build/release}
if [ $# -eq 0 ]; then build release test_text test_data test_evaluate test_decode test_cli >&2; fi

# The instruction sets that valgrind knows; threads that spin would starve the one that it runs at a time.
export HEXAPLA_ISA=avx2 ONEDNN_MAX_CPU_ISA=AVX2 OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2
failed=()
look_at() {  # look_at TEST-PROGRAM FILTER
  local began=$SECONDS status=0
  valgrind -q --error-exitcode=99 --num-callers=24 --fair-sched=yes --suppressions="$ROOT/scripts/valgrind.supp" \
    "$folder/$1" --gtest_brief=1 --gtest_filter="$2" >&2 || status=$?
  note "$1: $((SECONDS - began)) s"
  [ $status -eq 0 ] || failed+=("$1")
}
look_at test_text 'TokensOfText.*:Words.*:PlainLine.*:Charsmap.*:Vocabulary.*'
look_at test_data 'EncodeCorpus.*:Gold.*:Pharaoh.*:ParallelText.*:TrainingTexts.*'
look_at test_evaluate 'Languages/*:*Mecab*'
look_at test_decode 'Align*:Score.*:TextScorerTest.*:RescoringTest.*:Parted.*:Sentences.*:Phrases.*:PieceTextsTest.*:TranslatorTest.*'
look_at test_cli 'ScoreCommand.*:InspectCommand.*'
[ ${#failed[@]} -eq 0 ] || die "valgrind: errors in ${failed[*]}"
