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

# fresh_system FOLDER: makes a minimal Debian of this machine's release there, which chroot can enter. Needs root. The
# download is kept in build/fresh-RELEASE.tar.
fresh_system() {
  local release tar
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  tar=$ROOT/build/fresh-$release.tar
  note "a fresh $release"
  if [ ! -s "$tar" ]; then
    mkdir -p "$ROOT/build"
    run_quietly "debootstrap" debootstrap --variant=minbase "$release" "$1"
    tar -C "$1" --one-file-system -cf "$tar.new" . && mv "$tar.new" "$tar"
  else
    mkdir -p "$1"
    tar -C "$1" -xf "$tar"
  fi
  mount -t proc proc "$1/proc"
  mount -t sysfs -o ro sysfs "$1/sys"  # PoCL asks it for memory
  run_quietly "apt-get update" chroot "$1" apt-get update -qq
}
remove_system() {  # FOLDER
  umount "$1/proc" "$1/sys" 2>/dev/null || true
  rm -rf --one-file-system "$1"
}

# install_into SYSTEM PACKAGE...: packages by name or by their path inside.
install_into() {
  run_quietly "installing ${*:2}" chroot "$1" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends "${@:2}"
}
