#!/usr/bin/env bash
# From a fresh clone to a trained and translating model: installs, builds, runs `hexapla demo` with the arguments given.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
note "1 of 3: installing what is missing"
"$ROOT/scripts/install_dependencies.sh"
minutes=$(((10 + JOBS - 1) / JOBS))  # of one core: about 10 for the first build
note "2 of 3: building the program, the first time about $minutes minutes"
build release hexapla_program
note "3 of 3: training a small model and translating with it, about two minutes"
exec "$ROOT/build/release/hexapla" demo "$@"
