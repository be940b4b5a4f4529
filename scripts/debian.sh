#!/usr/bin/env bash
# Builds the Debian packages of the committed tree, checks them with lintian, and runs the tests of debian/tests, as
# Debian does, in a fresh system (debootstrap): scripts/debian.sh [FOLDER FOR THE PACKAGES]. Needs root for the fresh
# system, and the network. With DEB_BUILD_OPTIONS= DEB_CXXFLAGS_APPEND= also makes packages for debuggers.
. "$(dirname "${BASH_SOURCE[0]}")/debian_common.sh"
"$ROOT/scripts/install_dependencies.sh" --debian
packages=$(realpath -m "${1:-$ROOT/build/debian}")
work=$ROOT/build/debian-work  # a fixed path, for the compiler cache
system=$work/system
cleanup() {
  remove_system "$system"
  rm -rf "$work"
}
cleanup
trap cleanup EXIT

build_packages "$work"
note "lintian"
lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$work"/*.changes
for plugin in mpi opencl; do
  ! dpkg-deb -f "$work"/hexapla_*.deb Depends | grep -i "$plugin" || die "the package hexapla depends on $plugin"
done
mkdir -p "$packages"
rm -f "$packages"/*.deb
cp "$work"/*.deb "$packages"

fresh_system "$system"
note "debian/tests"
run_quietly "autopkgtest" autopkgtest --no-built-binaries "$packages"/*.deb "$work"/hexapla-*/ -- chroot "$system"
note "installed and tested in a fresh system"
ls -l "$packages"/*.deb >&2
