#!/usr/bin/env bash
# Installs, builds everything and runs all tests; arguments go to ctest (scripts/test.sh -R attention).
# HEXAPLA_PRESET=asan|tsan|dev selects a build other than release.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
preset=${HEXAPLA_PRESET:-release}
"$ROOT/scripts/install_dependencies.sh"
build "$preset"
note "testing build/$preset with $JOBS jobs"
cd "$ROOT"
exec ctest --preset "$preset" -j "$JOBS" "$@"
