#!/usr/bin/env bash
# Builds the committed tree in a fresh system of another release with another compiler, and runs the tests; a warning is
# an error: scripts/systems.sh RELEASE COMPILER [TARGET...]. With targets, builds these and runs those that are tests.
# RELEASE: bookworm or trixie (Debian), jammy or noble (Ubuntu 22.04 and 24.04; they need the package ubuntu-keyring, on
# Debian 12 that of Debian 13). COMPILER: g++-14, clang++-19 and the like. Needs root, debootstrap and the network. The
# compilers' output is kept in build/systems.
. "$(dirname "${BASH_SOURCE[0]}")/debian_common.sh"
[ $# -ge 2 ] || { sed -n '2,6s/^# //p' "$0"; exit 2; }
release=$1 compiler=$2
shift 2
kept=$ROOT/build/systems
log=$kept/$release-$compiler.log
cache=$kept/ccache-$release
system=$(mktemp -d)
cleanup() {
  umount "$system/ccache" 2>/dev/null || true
  remove_system "$system"
}
trap cleanup EXIT

# packages_of COMPILER: clang has its OpenMP in a package of its own.
packages_of() {
  case $1 in
    clang*) echo "${1/++/}" "libomp${1#clang++}-dev" ;;
    *) echo "$1" ;;
  esac
}
inside() { chroot "$system" env -C /srv/hexapla CXX="$compiler" CCACHE_DIR=/ccache DEBIAN_FRONTEND=noninteractive "$@"; }

fresh_system "$system" "$release"
read -ra packages < <(packages_of "$compiler")
install_into "$system" "${packages[@]}"
mkdir -p "$cache" "$system/ccache" "$system/srv/hexapla"
mount --bind "$cache" "$system/ccache"
git -C "$ROOT" archive HEAD | tar -x -C "$system/srv/hexapla"
if [ $# -eq 0 ]; then
  inside scripts/test.sh 2>&1 | tee "$log"
else
  # shellcheck disable=SC2016
  inside bash -c '. scripts/common.sh; scripts/install_dependencies.sh; build release "$@"
    for target; do case $target in test_*) "build/release/$target" ;; esac; done' - "$@" 2>&1 | tee "$log"
fi
! grep -n 'warning: ' "$log" || die "$compiler warned; the lines above are of $log"
note "built without a warning by $(inside "$compiler" --version | head -1) on $release"
