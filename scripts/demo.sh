#!/usr/bin/env bash
# From a fresh clone to a trained and translating model: installs, builds, runs `hexapla demo` with the arguments given.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$ROOT/scripts/install_dependencies.sh"
build release hexapla_program
exec "$ROOT/build/release/hexapla" demo "$@"
