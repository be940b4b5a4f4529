#!/usr/bin/env bash
# Runs a command in a Debian system for 64-bit Arm, in a clone of the committed tree, as on a machine of that kind:
#   scripts/arm64_system.sh scripts/debian.sh     builds the packages, installs and tests them
#   scripts/arm64_system.sh scripts/python.sh     builds the wheel and tests it
# The system and the tree's folder build/ stay in build/arm64. qemu emulates the system; its compiler is this machine's
# cross compiler, which is ten times as fast as an emulated one. Needs root, debootstrap, the network, and a statically
# linked qemu that does not abort in children of programs with threads: QEMU=FILE names it (see scripts/aarch64.sh).
. "$(dirname "${BASH_SOURCE[0]}")/debian_common.sh"
[ $# -gt 0 ] || { sed -n '2,7s/^# //p' "$0"; exit 2; }
"$ROOT/scripts/install_dependencies.sh" --aarch64
kept=$ROOT/build/arm64
system=$kept/system
formats=/proc/sys/fs/binfmt_misc
registered=
cleanup() {
  umount "$system"/{proc,sys,ccache,srv/hexapla/build,host/usr,usr/lib/x86_64-linux-gnu} 2>/dev/null || true
  [ -z "$registered" ] || echo -1 > "$formats/$registered"
}
trap cleanup EXIT
cleanup

# emulate_programs: from now on the kernel starts arm64's programs in qemu, which it keeps open for systems without it.
emulate_programs() {
  local qemu
  if [ -e $formats/qemu-aarch64 ]; then return; fi
  qemu=$(command -v "${QEMU:-qemu-aarch64-static}") || die "QEMU=FILE must name a statically linked qemu for aarch64: the header of scripts/aarch64.sh says where one is"
  [ -e $formats/register ] || mount -t binfmt_misc binfmt_misc $formats
  registered=hexapla-aarch64
  printf ':%s:M::%s:%s:%s:F' $registered '\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00' \
    '\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff' "$(realpath "$qemu")" > $formats/register
}

# show HERE THERE: the system sees this machine's folder, for reading.
show() {
  mkdir -p "$system$2"
  mount --bind "$1" "$system$2"
  mount -o remount,bind,ro "$system$2"
}

# cross_compile: the system's compilers call this machine's, which finds headers and libraries where its own would.
cross_compile() {
  local name
  show /usr /host/usr
  show /usr/lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu
  mkdir -p "$system/lib64"
  ln -sfn /usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 "$system/lib64"
  ln -sfn /host/usr/aarch64-linux-gnu "$system/usr/aarch64-linux-gnu"
  for name in c++:g++ g++:g++ cc:gcc gcc:gcc; do
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nexec /host/usr/bin/aarch64-linux-gnu-%s "$@"\n' "${name#*:}" > "$system/usr/local/bin/${name%:*}"
    chmod +x "$system/usr/local/bin/${name%:*}"
  done
}

emulate_programs
if [ ! -d "$system/srv/hexapla" ]; then  # else a former run made it
  rm -rf --one-file-system "$system"
  ARCHITECTURE=arm64 fresh_system "$system"
  install_into "$system" git ca-certificates python3-venv python3-dev
else
  mount -t proc proc "$system/proc"
  mount -t sysfs -o ro sysfs "$system/sys"
fi
cross_compile
cp /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs"  # what this machine trusts, for pip
rm -rf "$system/srv/hexapla"
git clone -q --no-hardlinks "$ROOT" "$system/srv/hexapla"
mkdir -p "$kept"/{build,ccache} "$system"/{ccache,srv/hexapla/build}
mount --bind "$kept/build" "$system/srv/hexapla/build"
mount --bind "$kept/ccache" "$system/ccache"
chroot "$system" env -C /srv/hexapla CCACHE_DIR=/ccache DEBIAN_FRONTEND=noninteractive "$@"
