#!/usr/bin/env bash
# Writes the C++ reference from the comments of include/hexapla: build/reference/html/index.html.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$ROOT/scripts/install_dependencies.sh" --reference
cd "$ROOT"
mkdir -p build
run_quietly "doxygen" doxygen docs/reference/Doxyfile
echo "build/reference/html/index.html"
