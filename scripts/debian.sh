#!/usr/bin/env bash
# Builds the Debian packages, checks them with lintian, and installs and runs them in a fresh system (debootstrap) in a
# temporary folder: scripts/debian.sh [FOLDER FOR THE PACKAGES]. Needs root for the fresh system, and the network.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$ROOT/scripts/install_dependencies.sh" --debian
[ "$(id -u)" -eq 0 ] || die "installing into a fresh system needs root: run it with sudo"
packages=$(realpath -m "${1:-$ROOT/build/debian}")
work=$ROOT/build/debian-work  # a fixed path, for the compiler cache
system=$work/system
rm -rf "$work"
cleanup() {
  umount "$system/proc" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

note "packing the committed tree"
mkdir -p "$work/hexapla-0.1.0" "$packages"
git -C "$ROOT" archive HEAD | tar -x -C "$work/hexapla-0.1.0"
note "building the packages"
(cd "$work/hexapla-0.1.0" && PATH=/usr/lib/ccache:$PATH CCACHE_BASEDIR="$work/hexapla-0.1.0" run_quietly "dpkg-buildpackage" \
  dpkg-buildpackage -us -uc -b -j"$JOBS")
note "lintian"
lintian --fail-on error --tag-display-limit 0 "$work"/*.changes
cp "$work"/*.deb "$packages"

release=$(. /etc/os-release && echo "$VERSION_CODENAME")
note "a fresh $release"
run_quietly "debootstrap" debootstrap --variant=minbase "$release" "$system"
mount -t proc proc "$system/proc"
cp "$work"/*.deb "$system/srv"
run_quietly "installing the packages" chroot "$system" sh -c \
  "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /srv/*.deb g++ pkg-config"
cp "$ROOT/examples/translate/main.cpp" "$system/srv"
chroot "$system" sh -ec '
  hexapla --version
  hexapla demo --model /srv/run --max-updates 5 --quiet > /dev/null
  test -s /usr/share/man/man1/hexapla-train.1.gz || { echo "no manual page" >&2; exit 1; }
  g++ -std=c++17 /srv/main.cpp -o /srv/translate $(pkg-config --cflags --libs hexapla)
  echo "a b c" | /srv/translate /srv/run/model.safetensors > /dev/null
  echo "installed, ran, and was compiled against in a fresh system"'
ls -l "$packages"/*.deb >&2
