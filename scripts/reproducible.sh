#!/usr/bin/env bash
# Builds the Debian packages of the committed tree again, in another folder and without the compiler cache, and compares
# them byte by byte with those that scripts/debian.sh made of the same commit: scripts/reproducible.sh [ITS FOLDER].
. "$(dirname "${BASH_SOURCE[0]}")/debian_common.sh"
packages=$(realpath -m "${1:-$ROOT/build/debian}")
compgen -G "$packages/*.deb" > /dev/null || die "$packages has no packages: run scripts/debian.sh first"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CCACHE_DISABLE=1 build_packages "$work/a/longer/path"
for first in "$packages"/*.deb; do
  cmp "$first" "$work/a/longer/path/$(basename "$first")" || die "$(basename "$first") has other bytes"
  note "$(basename "$first"): the same bytes, sha256 $(sha256sum "$first" | cut -c1-16)"
done
