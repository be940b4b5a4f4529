#!/usr/bin/env bash
# Installs older Debian packages in a fresh system, makes a run and a model with them, upgrades to newer packages, and
# checks that the model translates to the same lines and the run goes on; then removes and purges everything and checks
# that no file is left: scripts/upgrade.sh FOLDER-OF-OLDER-PACKAGES FOLDER-OF-NEWER-PACKAGES. Needs root, the network.
. "$(dirname "${BASH_SOURCE[0]}")/debian_common.sh"
[ $# -eq 2 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
for folder in "$1" "$2"; do
  compgen -G "$folder/hexapla_*.deb" > /dev/null || die "$folder has no package hexapla"
done
system=$(mktemp -d)
trap 'remove_system "$system"' EXIT
fresh_system "$system"

# install FOLDER: its packages, without those for debuggers.
install() {
  local name
  rm -rf "$system/srv/packages"
  mkdir "$system/srv/packages"
  for name in "$1"/*.deb; do
    case $name in *-dbgsym_*) ;; *) cp "$name" "$system/srv/packages" ;; esac
  done
  (cd "$system" && install_into "$system" ./srv/packages/*.deb)
}
files() { (cd "$system" && find etc usr var -name '*hexapla*' -not -path 'var/cache/*' | sort); }

inside() { chroot "$system" sh -euc "cd /srv; $1"; }
train='hexapla train --train-sets text/train.a text/train.b --preset tiny --vocab-size 40 --precision f32 --save-every 20 --model run'
translate='hexapla translate --quiet --precision f32'

cp -r "$ROOT/tests/fixtures/run_of_0.1.0" "$system/srv/text"
before=$(files)
install "$1"
note "older: $(inside "dpkg-query -W -f '\${Version} ' hexapla; hexapla --version")"
inside "$train --max-updates 40 2> log; $translate -m run < text/valid.a > older; cp run/model.safetensors older.safetensors"
echo '# edited by the administrator' >> "$system/etc/default/hexapla"
install "$2"
note "newer: $(inside "dpkg-query -W -f '\${Version} ' hexapla; hexapla --version")"
inside "$translate -m older.safetensors < text/valid.a | cmp - older" || die "the model translates to other lines"
note "the older model translates to the same lines"
grep -q 'edited by the administrator' "$system/etc/default/hexapla" || die "the upgrade replaced /etc/default/hexapla"
inside "$train --max-updates 60 2> log; grep -q 'resumed after update 40' log" || die "the run does not go on"
note "the run went on from update 40 to 60"

inside "dpkg-query -W -f '\${Package}\n' '*hexapla*' | xargs apt-get purge -y -qq -o Dpkg::Use-Pty=0" > /dev/null
[ "$(files)" = "$before" ] || die "files are left: $(files)"
note "removed: no file is left"
