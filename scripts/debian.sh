#!/usr/bin/env bash
# Builds the Debian packages of the committed tree, checks them with lintian, and runs the tests of debian/tests, as
# Debian does, in a fresh system (debootstrap): scripts/debian.sh [FOLDER FOR THE PACKAGES]. Needs root for the fresh
# system, and the network. Without packages for debuggers, which take half of the compile time and 170 MB, unless
# DEB_BUILD_OPTIONS and DEB_CXXFLAGS_APPEND are set (to nothing).
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$ROOT/scripts/install_dependencies.sh" --debian
[ "$(id -u)" -eq 0 ] || die "installing into a fresh system needs root: run it with sudo"
packages=$(realpath -m "${1:-$ROOT/build/debian}")
work=$ROOT/build/debian-work  # a fixed path, for the compiler cache
system=$work/system
cleanup() {
  remove_system "$system"
  rm -rf "$work"
}
cleanup
trap cleanup EXIT
export DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS-noautodbgsym} DEB_CXXFLAGS_APPEND=${DEB_CXXFLAGS_APPEND--g0}

version=$(sed -n 's/^project(hexapla VERSION \([0-9.]*\).*/\1/p' "$ROOT/CMakeLists.txt")
packaged=$(dpkg-parsechangelog -l "$ROOT/debian/changelog" -S Version)
[ "${packaged%-*}" = "$version" ] ||
  die "debian/changelog is of version $packaged, CMakeLists.txt of $version: add an entry to debian/changelog"
tree=$work/hexapla-$version
note "packing the committed tree"
mkdir -p "$tree" "$packages"
git -C "$ROOT" archive HEAD | tar -x -C "$tree"
note "building the packages"
(cd "$tree" && PATH=/usr/lib/ccache:$PATH CCACHE_BASEDIR="$tree" run_quietly "dpkg-buildpackage" \
  dpkg-buildpackage -us -uc -b -j"$JOBS")
note "lintian"
lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$work"/*.changes
for plugin in mpi openmpi OpenCL; do
  ! dpkg-deb -f "$work"/hexapla_*.deb Depends | grep -i "$plugin" || die "the package hexapla depends on $plugin"
done
rm -f "$packages"/*.deb
cp "$work"/*.deb "$packages"

fresh_system "$system"
note "debian/tests"
rm -rf "$tree"/obj-*  # tests copy the tree
run_quietly "autopkgtest" autopkgtest --no-built-binaries "$packages"/*.deb "$tree/" -- chroot "$system"
ls -l "$packages"/*.deb >&2
