#!/usr/bin/env bash
# An imported model behind nginx, with a glossary: run.sh [FOLDER OF THE MODEL] [FOLDER TO WORK IN]. Without a model, makes one as
# examples/own-model does and exports it in the format in which opus-mt is published. Starts the server and nginx, asks one
# question through nginx, and stops both again. Exit code 77 if nginx or curl is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=$PATH:/usr/sbin
for program in nginx curl; do command -v "$program" > /dev/null || { echo "$program is not installed" >&2; exit 77; }; done
if [ $# -gt 0 ]; then published=$(realpath "$1"); else published=""; fi
mkdir -p "${2:-served}"
cd "${2:-served}"

# 1. The model of another system becomes a model file with 8-bit weights.
if [ -z "$published" ]; then
  "$here/../own-model/run.sh" > own-model.log
  hexapla export own-model/run --to hf-marian -o published 2> export.log
  published=published
fi
hexapla import "$published" -o en-de.safetensors
hexapla quantize --quiet -m en-de.safetensors -o en-de-8.safetensors

# 2. The server listens on a socket that only nginx reaches; limits and logs are about nginx's clients.
hexapla serve -m en-de=en-de-8.safetensors --socket "$PWD/hexapla.sock" --trusted-proxies unix 2> serve.log &
server=$!
stop() {
  kill "$server" 2> /dev/null || true
  [ ! -f nginx.pid ] || kill "$(cat nginx.pid)"
  wait
}
trap stop EXIT
for _ in {1..600}; do
  if curl --silent --fail --unix-socket hexapla.sock http://hexapla/ready > ready; then break; fi
  sleep 0.1
done

# 3. nginx with the configuration of this folder, as a user without rights can run it: in a folder and on a socket of its own.
[ "$(id -u)" != 0 ] || root="user root;"
{
  printf '%s\n' "${root:-}" "pid $PWD/nginx.pid;" "events {}" "http {" "access_log off;"
  for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path $PWD/$kind;"; done
  sed -e "s|server 127.0.0.1:5000;|server unix:$PWD/hexapla.sock;|" -e "s|listen 80;|listen unix:$PWD/front.sock;|" "$here/nginx.conf"
  echo "}"
} > nginx.conf
nginx -c "$PWD/nginx.conf" -e "$PWD/nginx.log"

# 4. A request with a glossary: "two" has to become "zwo", as Germans say it on the telephone.
curl --silent --fail --unix-socket front.sock http://hexapla/v1/translate -H 'Content-Type: application/json' \
  -d '{"q": "four thousand two hundred and fifty-six", "source": "en", "target": "de", "glossary": {"two": "zwo"}}' | tee answer.json
echo
