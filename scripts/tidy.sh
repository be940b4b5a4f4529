#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) over files of src/, which build/release must have been configured for: scripts/tidy.sh
# FILE..., or --all (40 minutes of processor time), or --last N: the files of the last commits, at most N.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"
case "${1:-}" in
  --all) files=$(git ls-files 'src/*.cpp') ;;
  --last)
    recent=$(git log -30 --name-only --format= -- 'src/*.cpp' | awk '!seen[$0]++')
    files=$(for f in $recent; do if [ -f "$f" ]; then echo "$f"; fi; done | sed -n "1,${2}p")
    ;;
  "") die "usage: scripts/tidy.sh FILE... | --all | --last N" ;;
  *) files=$(printf '%s\n' "$@") ;;
esac
export HEXAPLA_UNITY_BUILD=${HEXAPLA_UNITY_BUILD:-tests}  # clang-tidy needs to know how each file is compiled
configure release
grep -q '"[^"]*/src/core/base/json\.cpp"' build/release/compile_commands.json ||
  die "build/release compiles several files at a time: remove it, or configure it with -D HEXAPLA_UNITY_BUILD=tests"
# Without tests, and one file that is also part of one: clang cannot read the precompiled header of GCC's.
files=$(grep -vE '_test\.cpp$|/tests/|backend/cpu/processor\.cpp$|^$' <<<"$files" || true)
[ -n "$files" ] || { note "tidy: no files"; exit 0; }
xargs -P "$JOBS" -n 1 clang-tidy -p build/release --quiet <<<"$files" 2> >(grep -v 'warnings\? generated\|Suppressed\|^Use -' >&2) ||
  die "clang-tidy found something; it is above"
note "tidy: $(wc -l <<<"$files") files in order"
