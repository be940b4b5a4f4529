#!/usr/bin/env bash
# Compares the binary interface of libhexapla.so with that of the last release (docs/binary-compatibility.md): fails if a
# program that was built with that release could not use this library, although its SONAME is the same. scripts/abi.sh
# --write makes the dump of a release. Needs abidw and abidiff (scripts/install_dependencies.sh --checks); without them it
# says so and ends well.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ROOT"
dump=tests/fixtures/abi/libhexapla.xml.xz
machine=$(uname -m)
have abidiff && have abidw || { note "abi: skipped, because abidiff is not installed (Debian package abigail-tools)"; exit 0; }
[ "$machine" = x86_64 ] || { note "abi: skipped, because the dump is of x86_64, not $machine"; exit 0; }

# Every exported function is in src/lib, and nothing else has to be compiled to know its types.
work=$ROOT/build/abi
export CMAKE_GENERATOR=Ninja
if have ccache; then export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"; fi
run_quietly "configuring" cmake -S . -B "$work" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_OPTIMIZE_DEPENDENCIES=ON -DHEXAPLA_CLI=OFF \
  -DHEXAPLA_TESTS=OFF -DHEXAPLA_MPI=OFF -DHEXAPLA_OPENCL=OFF
run_quietly "building src/lib" cmake --build "$work" -j "$JOBS" --target hexapla_api
soname=libhexapla.so.$(sed -n 's/^set(HEXAPLA_SOVERSION \([0-9]*\)).*/\1/p' CMakeLists.txt)
run_quietly "linking src/lib" "${CXX:-c++}" -shared -o "$work/abi.so" -Wl,--whole-archive "$work/libhexapla_api.a" \
  -Wl,--no-whole-archive -Wl,--version-script=cmake/exports.map -Wl,-soname="$soname"
run_quietly "reading the types" abidw --exported-interfaces-only --headers-dir "$ROOT/include/hexapla" --drop-private-types \
  --drop-undefined-syms --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names \
  --type-id-style hash --suppressions tests/fixtures/abi/unstable.ini --out-file "$work/now.xml" "$work/abi.so"
if [ "${1:-}" = --write ]; then
  xz -9 -c "$work/now.xml" > "$dump"
  exit
fi
xz -dc "$dump" > "$work/then.xml"
if abidiff --no-added-syms "$work/then.xml" "$work/now.xml" > "$work/changes.txt"; then
  note "abi: programs built with the last release can use this library"
elif ! grep -q "soname='$soname'" "$work/then.xml"; then
  note "abi: the SONAME has changed since the last release, which these changes need:"
  cat "$work/changes.txt" >&2
else
  cat "$work/changes.txt" >&2
  die "programs built with the last release cannot use this $soname: raise HEXAPLA_SOVERSION (docs/binary-compatibility.md)"
fi
