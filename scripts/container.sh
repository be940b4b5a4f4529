#!/usr/bin/env bash
# Builds the container image of the committed tree and uses it as its users do: it trains a small model in a folder of this
# machine, translates from a pipe as a user other than root, and serves; its health check must see whether the server answers.
# ENGINE: docker or podman; default: the one that is installed.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
engine=${ENGINE:-$(have docker && echo docker || echo podman)}
have "$engine" || die "building a container needs docker or podman"
work=$(mktemp -d)
cleanup() {
  "$engine" rm -f hexapla-right hexapla-wrong >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanup EXIT
chmod 755 "$work"  # for the image's user
mkdir "$work/tree" "$work/data"
git -C "$ROOT" archive HEAD | tar -x -C "$work/tree"
note "container: building the image"
format=()
[ "$engine" = docker ] || format=(--format docker)  # podman's own format has no health checks
run_quietly "building the image" "$engine" build "${format[@]}" -t hexapla "$work/tree"

note "container: $("$engine" run --rm hexapla --version | head -1)"
[ "$("$engine" run --rm --entrypoint id hexapla -u)" = 1000 ] || die "the image runs as root"
"$engine" run --rm --entrypoint grep hexapla -q '"CycloneDX"' /usr/share/doc/hexapla/hexapla.cdx.json ||
  die "the image has no bill of materials"
note "container: training"
"$engine" run --rm -v "$work/data:/data" -w /data --user "$(id -u)" hexapla demo -m dates --quiet >&2
date=$(echo 'Friday, the 3rd of March 2023' |
  "$engine" run --rm -i -v "$work/data:/data:ro" -w /data hexapla translate -m dates --quiet)
[ "$date" = 2023-03-03 ] || die "the image translates the date 3 March 2023 to '$date'"

# healthy CONTAINER: runs its health check.
healthy() { "$engine" exec "$1" bash -c "$("$engine" inspect -f '{{index .Config.Healthcheck.Test 3}}' "$1")"; }
note "container: serving"
"$engine" run -d --name hexapla-right -p 127.0.0.1::5000 -v "$work/data:/data:ro" -w /data hexapla serve -m dates --host :: >/dev/null
"$engine" run -d --name hexapla-wrong -v "$work/data:/data:ro" -w /data hexapla serve -m dates --port 5001 >/dev/null
for _ in {1..60}; do healthy hexapla-right 2>/dev/null && break; sleep 1; done
healthy hexapla-right || die "the server does not answer its health check: $("$engine" logs hexapla-right 2>&1 | tail -3)"
! healthy hexapla-wrong 2>/dev/null || die "the health check accepts a server that does not answer at its port"
exec 3<>"/dev/tcp/127.0.0.1/$("$engine" port hexapla-right 5000 | sed 's/.*://')"
printf 'GET /health HTTP/1.0\r\n\r\n' >&3
grep -q ' 200 ' <&3 || die "the server cannot be reached from outside"
note "container: all passed"
