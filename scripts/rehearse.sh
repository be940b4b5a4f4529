#!/usr/bin/env bash
# Rehearses a release from a fresh clone of the committed tree: build, tests, bill of materials, packages that are
# installed, tested, upgraded and removed in fresh systems, the same bytes again, the Python package, the site.
#   scripts/rehearse.sh [--quick] [--older FOLDER OF OLDER PACKAGES] [FOLDER, default build/rehearsal]
# Writes FOLDER/rehearsal.log and one line per step. --quick: a few test programs instead of all; without a second build of
# the packages, the Python package and the site. Needs root (fresh systems) and the network.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
quick=
older=
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=1; shift ;;
    --older) older=$(realpath "${2:?--older needs a folder}"); shift 2 ;;
    -*) sed -n '2,6s/^# //p' "$0"; exit 2 ;;
    *) break ;;
  esac
done
folder=$(realpath -m "${1:-$ROOT/build/rehearsal}")
clone=$folder/hexapla
log=$folder/rehearsal.log
rm -rf "$clone"
mkdir -p "$folder"
: > "$log"
failed=0

# step NAME command...: its output goes to the log; the line says how long it took, on the clock and of processors.
step() {
  local name=$1 began=$SECONDS outcome=passed cpu
  shift
  printf '== %s: %s\n' "$name" "$*" >> "$log"
  TIMEFORMAT='%U %S'
  cpu=$( { time "$@" >> "$log" 2>&1 3>&-; } 3>&1 2>&1 && echo ok || echo no)
  case $cpu in *no) outcome=FAILED failed=1 ;; esac
  printf '%-28s %-8s %5d s, %6.0f s of processors\n' "$name" $outcome $((SECONDS - began)) \
    "$(awk 'NF == 2 { print $1 + $2 }' <<< "$cpu")" | tee -a "$log" >&2
}
left_out() { printf '%-28s left out: %s\n' "$1" "$2" | tee -a "$log" >&2; }

# in_clone COMMANDS: with the functions of the clone's common.sh.
in_clone() { bash -euc "cd '$clone'; . scripts/common.sh; $1"; }

export CCACHE_BASEDIR=$clone
step "clone" git clone -q --no-hardlinks "$ROOT" "$clone"
step "dependencies" "$clone/scripts/install_dependencies.sh"
step "build" in_clone "build release hexapla_program"
step "bill of materials" in_clone "scripts/sbom.py > '$folder/hexapla.cdx.json'"
few=test_base,test_text,test_data
if [ -n "$quick" ]; then
  step "a few tests" in_clone "build release {$few}; for t in build/release/{$few}; do OMP_WAIT_POLICY=passive \$t --gtest_brief=1; done"
else
  step "all tests" "$clone/scripts/test.sh"
fi
step "packages" "$clone/scripts/debian.sh" "$folder/packages"
if [ -n "$older" ]; then
  step "upgrade, run, remove" "$clone/scripts/upgrade.sh" "$older" "$folder/packages"
else
  left_out "upgrade, run, remove" "--older names no packages"
fi
if [ -n "$quick" ]; then
  for name in "the same bytes again" "Python package" "site"; do left_out "$name" "--quick"; done
else
  step "the same bytes again" "$clone/scripts/reproducible.sh" "$folder/packages"
  step "Python package" "$clone/scripts/python.sh"
  step "site" "$clone/scripts/site.sh"
fi
note "the log is $log"
exit $failed
