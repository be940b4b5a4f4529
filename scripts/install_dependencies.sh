#!/usr/bin/env bash
# Installs the build dependencies of hexapla (Debian 12 and 13, Ubuntu 22.04 and 24.04). Further dependencies by
# argument: --checks (of the source), --nightly, --debian and --reference for the scripts of that name, --mpi for
# training on several machines, --opencl for GPUs (and PoCL, which is OpenCL on the CPU, for the tests), --cluster for scripts/recipes.sh.
# --aarch64: a compiler for 64-bit Arm, qemu, and that system's libraries in build/aarch64-sysroot; the computer's own
# packages stay as they are. Does nothing, without network, if everything is installed.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

libraries=(libdnnl-dev libsentencepiece-dev libcli11-dev libyaml-cpp-dev
  nlohmann-json3-dev libfmt-dev zlib1g-dev libzstd-dev liblzma-dev libxxhash-dev libutf8proc-dev libboost-dev
  libssl-dev libcld2-dev libgumbo-dev libexpat1-dev libzip-dev libcmark-gfm-dev libcmark-gfm-extensions-dev libre2-dev
  googletest libgtest-dev libgmock-dev)
packages=(g++ make cmake ninja-build ccache pkg-config "${libraries[@]}")
# PoCL is OpenCL on the CPU.
opencl=(ocl-icd-opencl-dev opencl-c-headers pocl-opencl-icd clinfo)
locales=()
if [ "${1:-}" = --checks ]; then
  # MeCab: Japanese BLEU; nginx: in front of the server; locales: tests also run under a German one; valgrind counts
  # instructions; abigail: scripts/abi.sh.
  packages+=(python3 clang-format clang-tidy codespell abigail-tools libmecab2 mecab-ipadic-utf8 nginx locales valgrind
    "${opencl[@]}")
  locales=(de_DE)
elif [ "${1:-}" = --nightly ]; then
  packages+=(python3 valgrind)
elif [ "${1:-}" = --debian ]; then
  packages+=(git build-essential debhelper lintian debootstrap autopkgtest libopenmpi-dev ocl-icd-opencl-dev opencl-c-headers)
elif [ "${1:-}" = --mpi ]; then
  packages+=(libopenmpi-dev openmpi-bin)
elif [ "${1:-}" = --opencl ]; then
  packages+=("${opencl[@]}")
elif [ "${1:-}" = --cluster ]; then
  packages+=(parallel slurm-wlm munge default-jre-headless tabix)
elif [ "${1:-}" = --reference ]; then
  packages+=(doxygen)
elif [ "${1:-}" = --aarch64 ]; then
  packages=(make cmake ninja-build ccache pkg-config g++-aarch64-linux-gnu qemu-user)
elif [ $# -gt 0 ]; then
  die "unknown argument '$1'; usage: scripts/install_dependencies.sh [--checks | --nightly | --debian | --mpi | --opencl | --cluster | --reference | --aarch64]"
fi

if ! have dpkg-query || ! have apt-get; then
  note "this is neither Debian nor Ubuntu: install the equivalents of these packages: ${packages[*]}"
  exit 0
fi

installed=$(dpkg-query -W -f='${db:Status-Status} ${Package} ${Provides}\n' 2>/dev/null | sed -n 's/^installed //p' | tr -s ', ' '\n')
missing=()
for package in "${packages[@]}"; do
  grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
done

# as_root HINT command...: HINT is the command to suggest to an administrator.
as_root() {
  local hint=$1
  shift
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif have sudo; then
    sudo "$@"
  else
    die "packages or locales are missing, and you are neither root nor have sudo. Ask an administrator to run:
  $hint"
  fi
}

if [ ${#missing[@]} -gt 0 ]; then
  note "installing ${missing[*]}"
  command="apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  as_root "$command" apt-get update -qq >&2 || note "apt-get update failed; trying with the existing package lists"
  as_root "$command" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 ||
    die "apt-get could not install ${missing[*]}; its message is above"
fi

for name in "${locales[@]}"; do
  if [ "$(LC_ALL=$name.UTF-8 locale charmap 2>/dev/null)" != UTF-8 ]; then
    note "generating the locale $name.UTF-8"
    as_root "localedef -i $name -f UTF-8 $name.UTF-8" localedef -i "$name" -f UTF-8 "$name.UTF-8" >&2 ||
      die "localedef could not make the locale $name.UTF-8; its message is above"
  fi
done

# unpack_libraries: those of the same distribution for arm64, by an apt with folders of its own. Links to /... are made
# relative, because a linker on another system would follow them to this one.
unpack_libraries() {
  local sysroot=$ROOT/build/aarch64-sysroot new=$ROOT/build/aarch64-sysroot.new apt archive link
  if [ -e "$sysroot" ]; then return; fi
  note "unpacking the libraries of arm64 into build/aarch64-sysroot"
  rm -rf "$new"
  apt=$(mktemp -d)
  mkdir -p "$new"/usr/{bin,sbin,lib} "$apt"/{lists,cache}
  ln -s usr/bin usr/sbin usr/lib "$new"
  : >"$apt/status"
  local own=(-qq -o "Dir::State=$apt" -o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status"
    -o "Dir::Cache=$apt/cache" -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "APT::Sandbox::User=$(id -un)")
  run_quietly "updating arm64's package lists" apt-get "${own[@]}" update
  run_quietly "downloading arm64's libraries" apt-get "${own[@]}" install -y --no-install-recommends --download-only libstdc++6 "${libraries[@]}"
  for archive in "$apt"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$archive" | tar -x --keep-directory-symlink -C "$new"
  done
  find "$new" -type l -lname '/*' | while read -r link; do
    ln -sfn "$(realpath -m --relative-to="${link%/*}" "$new$(readlink "$link")")" "$link"
  done
  rm -rf "$apt"
  mv "$new" "$sysroot"
}
if [ "${1:-}" = --aarch64 ]; then unpack_libraries; fi
