# Sourced by the other scripts: finds the project; functions to install, configure and build it.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
JOBS=$(nproc)

note() { printf '%s\n' "-- $*" >&2; }
die() { printf '%s\n' "error: $*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# ccache: clones share compiled files. Keys exclude folder names, so a debugger may show those of the first clone.
# Precompiled headers are compared by content, not by date.
export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS-pch_defines,time_macros,include_file_mtime,include_file_ctime}"
export CCACHE_BASEDIR="${CCACHE_BASEDIR-$ROOT}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR-1}"

# run_quietly WHAT command...: shows the command's output only if it fails.
run_quietly() {
  local what=$1 log
  shift
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    die "$what failed; its output is above"
  fi
  rm -f "$log"
}

# configure PRESET: once; builds reconfigure automatically if a CMake file or the list of sources changes.
configure() {
  local preset=$1 dir="$ROOT/build/$1" home
  if have ninja && [ -z "${CMAKE_GENERATOR:-}" ]; then export CMAKE_GENERATOR=Ninja; fi
  if have ccache; then export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"; fi
  if [ -f "$dir/CMakeCache.txt" ]; then
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$dir/CMakeCache.txt")
    if [ "$home" = "$ROOT" ] && { [ -f "$dir/build.ninja" ] || [ -f "$dir/Makefile" ]; }; then
      # MPI may have been installed since.
      if have mpicxx && grep -q '^MPI_CXX_COMPILER:.*NOTFOUND' "$dir/CMakeCache.txt"; then run_quietly "configuring" cmake "$dir"; fi
      return
    fi
    rm -rf "$dir"  # the folder was moved, or configuring was interrupted
  fi
  note "configuring build/$preset"
  cd "$ROOT"
  run_quietly "configuring" cmake --preset "$preset"
}

# build PRESET [TARGET...]: builds the targets, or everything.
build() {
  local preset=$1
  shift
  configure "$preset"
  note "building build/$preset with $JOBS jobs (nothing to do when nothing changed)"
  cmake --build "$ROOT/build/$preset" -j "$JOBS" ${1+--target "$@"} >&2
}
