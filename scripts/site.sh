#!/usr/bin/env bash
# Builds the documentation site: build/site/index.html, which works from the folder, without a server or a network. Installs
# the generator (scripts/site/requirements.txt, from PyPI) into build/site-tools once. The C++ reference is part of the site
# if doxygen is installed (scripts/install_dependencies.sh --reference). Fails if a link or an anchor of a page leads nowhere,
# or a page would load anything from elsewhere.
# With --if-possible it ends well, with the reason, where the generator cannot be installed.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"
tools=build/site-tools wanted=scripts/site/requirements.txt
python=${HEXAPLA_PYTHON:-python3}

# The copy of the list tells that everything in it is installed.
install() {
  rm -rf "$tools"
  "$python" -m venv "$tools" && "$tools/bin/pip" install --quiet -r "$wanted" && cp "$wanted" "$tools/installed.txt"
}

mkdir -p build
if ! cmp -s "$wanted" "$tools/installed.txt"; then
  note "site: installing mkdocs into $tools"
  if ! log=$(install 2>&1); then
    [ "${1:-}" = --if-possible ] || die "the generator cannot be installed (network?): $log"
    note "site: skipped, because mkdocs cannot be installed here: $(tail -n 1 <<<"$log")"
    exit 0
  fi
fi
doxygen=()
if have doxygen; then
  run_quietly "doxygen" doxygen docs/reference/Doxyfile
  doxygen=(build/reference/html)
else
  note "site: without the C++ reference, because doxygen is not installed"
fi
"$python" -B scripts/site/stage.py build/site-pages "${doxygen[@]}"
run_quietly "mkdocs" env PYTHONDONTWRITEBYTECODE=1 NO_MKDOCS_2_WARNING=1 "$tools/bin/mkdocs" build --quiet --strict --clean -f scripts/site/mkdocs.yml
"$python" -B scripts/site/check.py build/site
echo "build/site/index.html"
