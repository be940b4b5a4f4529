# Sourced by the scripts about Debian packages: builds packages; makes fresh systems to install them into.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ "$(id -u)" -eq 0 ] || die "installing into a fresh system needs root: run it with sudo"
# Without packages for debuggers, which take half of the compile time and 170 MB.
export DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS-noautodbgsym} DEB_CXXFLAGS_APPEND=${DEB_CXXFLAGS_APPEND--g0}

# build_packages FOLDER: packs the committed tree into FOLDER/hexapla-VERSION and builds its packages in FOLDER.
build_packages() {
  local version packaged tree
  version=$(sed -n 's/^project(hexapla VERSION \([0-9.]*\).*/\1/p' "$ROOT/CMakeLists.txt")
  packaged=$(dpkg-parsechangelog -l "$ROOT/debian/changelog" -S Version)
  [ "${packaged%-*}" = "$version" ] ||
    die "debian/changelog is of version $packaged, CMakeLists.txt of $version: add an entry to debian/changelog"
  note "packing the committed tree"
  tree=$1/hexapla-$version
  mkdir -p "$tree"
  git -C "$ROOT" archive HEAD | tar -x -C "$tree"
  note "building the packages"
  # Without CCACHE_BASEDIR: it makes paths relative, and with them the names of files in messages of the program.
  (cd "$tree" && PATH=/usr/lib/ccache:$PATH CCACHE_BASEDIR= run_quietly "dpkg-buildpackage" \
    dpkg-buildpackage -us -uc -b -j"$JOBS")
  rm -rf "$tree"/obj-*  # what runs next may copy the tree
}

# fresh_system FOLDER [RELEASE]: makes a minimal system of that release of Debian or Ubuntu there (default: this machine's),
# which chroot can enter. Needs root. The download is kept in build/fresh-RELEASE.tar. ARCHITECTURE: if not this machine's.
fresh_system() {
  local release=${2:-$(. /etc/os-release && echo "$VERSION_CODENAME")} tar source=()
  # debootstrap may be older than the release: its script for all of Ubuntu's is called gutsy.
  case $release in
    jammy | noble) source=(http://archive.ubuntu.com/ubuntu gutsy) ;;
  esac
  tar=$ROOT/build/fresh-$release${ARCHITECTURE+-$ARCHITECTURE}.tar
  note "a fresh $release${ARCHITECTURE+ for $ARCHITECTURE}"
  if [ ! -s "$tar" ]; then
    mkdir -p "$ROOT/build"
    run_quietly "debootstrap" debootstrap --force-check-gpg --variant=minbase --components=main${source:+,universe} \
      ${ARCHITECTURE+--arch=$ARCHITECTURE} \
      "$release" "$1" "${source[@]}"
    # Ubuntu publishes its first compilers as previews, the finished ones as updates.
    [ -z "${source:-}" ] || echo "deb ${source[0]} $release-updates main universe" >> "$1/etc/apt/sources.list"
    tar -C "$1" --one-file-system -cf "$tar.new" . && mv "$tar.new" "$tar"
  else
    mkdir -p "$1"
    tar -C "$1" -xf "$tar"
  fi
  chmod 755 "$1"  # mktemp's folders are closed to the users that some tests become
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
