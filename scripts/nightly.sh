#!/usr/bin/env bash
# Runs everything, however long it takes: all tests including the long ones, plain and under each sanitizer; the Python
# package; text tests under valgrind; fifty trainings with measured memory; a run killed twenty times; runs on fifty disk
# sizes; every measurement of bench/ once, small (HEXAPLA_PEERS); a server under a million requests, ten thousand idle
# connections, overload and kills; the training with a known BLEU. HEXAPLA_MULTI30K names the corpus, HEXAPLA_SACREBLEU a
# Python that has sacreBLEU (compares ten thousand random pairs: twenty minutes), HEXAPLA_TRANSFORMERS one that has
# transformers; without them these parts are skipped.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export HEXAPLA_LONG_TESTS=1
failed=()
for preset in release asan tsan; do
  note "nightly: $preset"
  HEXAPLA_UNITY_BUILD=none HEXAPLA_PRESET=$preset "$ROOT/scripts/test.sh" || failed+=("$preset")
done
if [ ${#failed[@]} -gt 0 ]; then die "tests failed in: ${failed[*]}"; fi
for isa in generic avx2 avx512; do  # every machine is the only one of somebody; the doctor refuses what this one lacks
  HEXAPLA_ISA=$isa "$ROOT/build/release/hexapla" doctor >/dev/null 2>&1 || continue
  note "nightly: all tests with HEXAPLA_ISA=$isa"
  HEXAPLA_LONG_TESTS= HEXAPLA_ISA=$isa "$ROOT/scripts/test.sh" || die "a test fails on processors with $isa; it is above"
done
note "nightly: clang-tidy"
"$ROOT/scripts/install_dependencies.sh" --checks
"$ROOT/scripts/tidy.sh" --all || die "clang-tidy found something; it is above"
note "nightly: the static library"
build release hexapla_static
ctest --test-dir "$ROOT/build/release" --output-on-failure -R '^install_example' || die "libhexapla.a cannot be used"
"$ROOT/scripts/install_dependencies.sh" --nightly
if [ -n "${HEXAPLA_TRANSFORMERS:-}" ]; then
  note "nightly: 300 random configurations of Hugging Face"
  configurations=$(mktemp -d)
  "$HEXAPLA_TRANSFORMERS" "$ROOT/scripts/golden/random_configurations.py" "$ROOT/src/plugins/convert/fixtures" "$configurations" 300 "$(date +%j)" || die "transformers makes no configurations"
  HEXAPLA_HF_CONFIGURATIONS=$configurations/cases.json "$ROOT/build/release/test_convert" --gtest_filter='RandomConfigurations.*' || die "an imported model translates otherwise than in transformers"
  rm -r "${configurations:?}"
fi
note "nightly: ten million requests that went astray, under the sanitizers"
HEXAPLA_FUZZ_SEED=$(date +%j) HEXAPLA_FUZZ_REQUESTS=5000000 "$ROOT/build/asan/test_serve" --gtest_filter='FuzzedRequests.*' || die "the server does not stand all of them"
HEXAPLA_FUZZ_SEED=$(date +%j) HEXAPLA_FUZZ_REQUESTS=50000 "$ROOT/build/asan/test_serve" --gtest_filter='Accounts.*' || die "requests keep what they took"
note "nightly: Python, and 2,000 requests to all interfaces"
HEXAPLA_INTERFACE_CASES=2000 "$ROOT/scripts/python.sh" || die "the Python package fails; the reason is above"
note "nightly: the documentation site"
"$ROOT/scripts/site.sh" --if-possible || die "the site cannot be built, or a link leads nowhere; it is above"
note "nightly: 64-bit Arm in an emulator"
"$ROOT/scripts/aarch64.sh" || die "a test fails on aarch64; it is above"
note "nightly: valgrind"
"$ROOT/scripts/valgrind.sh" || die "valgrind found errors; they are above"
note "nightly: announced memory"
"$ROOT/scripts/memory_bounds.py" "$ROOT/build/release/hexapla" 50 || die "trainings do not take the memory that they announce"
note "nightly: full disks"
"$ROOT/scripts/full_disk.sh" "$ROOT/build/release/hexapla" || die "a full disk gives a wrong result"
note "nightly: the models that 20 trainings keep"
"$ROOT/scripts/kept_models.py" "$ROOT/build/release/hexapla" || die "a training keeps a model that is worse than another of its checkpoints"
note "nightly: every measurement of bench/, small"
"$ROOT/scripts/benches.sh" "$ROOT/build/release/hexapla" || die "a measurement of bench/ does not run"
note "nightly: a server under load, idle connections, kills and swaps"
"$ROOT/scripts/server_faults.py" "$ROOT/build/release/hexapla" || die "the server lost something, or more than it should"
note "nightly: a server under attack for 20 minutes"
"$ROOT/scripts/server_attack.py" "$ROOT/build/release/hexapla" --seconds 1200 || die "the server does not stand the attack"
if [ -n "${HEXAPLA_MULTI30K:-}" ]; then
  run=$(mktemp -d)
  trap 'rm -rf "$run"' EXIT
  note "nightly: twenty kills"
  for side in en de; do gzip -dc "$HEXAPLA_MULTI30K/train.$side.gz" | sed -n 1,6000p > "$run/$side"; done
  "$ROOT/scripts/kill_and_resume.sh" "$ROOT/build/release/hexapla" 20 "$run/kills" 8 --train-sets "$run/en" "$run/de" \
    --preset tiny --layers 1 --vocab-size 2000 --batch-tokens 2048 --max-updates 1300 --save-every 13 \
    --shuffle-memory 1 --subword-alpha 0.2 --accumulate 2 --ema 0.99 --average-last 3 || die "resuming is not exact"
  if have mpirun; then
    note "nightly: training by several processes"
    for side in en de; do gzip -dc "$HEXAPLA_MULTI30K/val.$side.gz" | sed -n 1,200p > "$run/valid.$side"; done
    "$ROOT/scripts/processes.sh" "$ROOT/build/release/hexapla" "$run/processes" 20 "$run/en" "$run/de" "$run/valid.en" \
      "$run/valid.de" || die "several processes do not train what one does"
  fi
  rm -r "${run:?}"/*
  note "nightly: Multi30k"
  result=$("$ROOT/scripts/multi30k.sh" "$run" --quiet)
  echo "$result"
  bleu=$(sed -n 's/^BLEU[^ ]* = \([0-9.]*\) .*/\1/p' <<<"$result")
  awk -v bleu="$bleu" 'BEGIN { exit !(bleu >= 39.0) }' || die "Multi30k: BLEU $bleu is below 39.0"
fi
note "nightly: all passed"
