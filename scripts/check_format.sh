#!/usr/bin/env bash
# Checks that clang-format 14 would not change the project's C++. Other versions format differently: with those, or
# without clang-format, the check says so and passes.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$formatter" ] || ! "$formatter" --version | grep -q 'version 14\.'; then
  note "format: not checked, clang-format 14 is not installed"
  exit 0
fi
cd "$ROOT"
folders=()
for folder in src include python bench examples tests; do [ -d "$folder" ] && folders+=("$folder"); done
find "${folders[@]}" \( -name '*.h' -o -name '*.cpp' -o -name '*.inc' \) -not -path '*/fixtures/*' -print0 |
  xargs -0 -r -n 16 -P "$JOBS" "$formatter" --dry-run --Werror || die "run clang-format -i on the files above"
note "format: in order"
