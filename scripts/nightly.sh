#!/usr/bin/env bash
# Everything, however long it takes: all tests, the long ones too, plain and under each sanitizer.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export HEXAPLA_LONG_TESTS=1
failed=()
for preset in release asan tsan; do
  note "nightly: $preset"
  HEXAPLA_PRESET=$preset "$ROOT/scripts/test.sh" || failed+=("$preset")
done
if [ ${#failed[@]} -gt 0 ]; then die "tests failed in: ${failed[*]}"; fi
if [ -n "${HEXAPLA_MULTI30K:-}" ]; then
  note "nightly: Multi30k"
  run=$(mktemp -d)
  trap 'rm -rf "$run"' EXIT
  result=$("$ROOT/scripts/multi30k.sh" "$run" --quiet)
  echo "$result"
  bleu=$(sed -n 's/^BLEU = \([0-9.]*\).*/\1/p' <<<"$result")
  awk -v bleu="$bleu" 'BEGIN { exit !(bleu >= 39.0) }' || die "Multi30k: BLEU $bleu is below 39.0"
fi
note "nightly: all passed"
