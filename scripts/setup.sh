#!/usr/bin/env bash
# Brings a Debian 12 or Ubuntu 24.04 machine to where Cupel builds and runs: apt packages, the
# compiler, a Python with torch. Says what it does; silent and quick when there is nothing to do.
#   scripts/setup.sh [all|build]   "build" leaves the Python out
# Environment:
#   CUPEL_PYTHON       an existing Python with torch >= 2.6, used as it is
#   CUPEL_TORCH_INDEX  package index to take torch from (PyTorch's CPU wheel index, say)
#   CXX                the C++ compiler (default g++)
set -euo pipefail
. "$(dirname "$0")/say.sh"

torch_version=2.13.0
packages=(
  g++ cmake ninja-build                                   # to build
  libcli11-dev nlohmann-json3-dev libexpected-dev         # header-only
  libtomlplusplus-dev libfmt-dev libspdlog-dev
  libsqlitecpp-dev libsqlite3-dev libssl-dev libcurl4-openssl-dev
  libgtest-dev librapidcheck-dev libcpp-httplib-dev       # to test
  bubblewrap libjemalloc2                                 # to jail candidates and to time them
  python3 python3-dev python3-venv                        # to run them
)

# --- apt ---------------------------------------------------------------------------------------
missing_packages() {
  local package
  for package in "${packages[@]}"; do
    case "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" in
      *"ok installed") ;;
      *) printf '%s ' "$package" ;;
    esac
  done
}

# apt_get ARGS...: as root or through sudo that asks nothing.
apt_get() {
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y "$@"
}

install_packages() {
  local log=$state/apt.log
  say "installing packages: $*"
  # The lists may be missing or old: fetch them only when the first try fails.
  run_logged "$log" apt_get install --no-install-recommends "$@" && return
  run_logged "$log" apt_get update || true
  run_logged "$log" apt_get install --no-install-recommends "$@" && return
  tail -n 5 "$log" >&2
  die "apt-get could not install: $* (log: $log)"
}

setup_packages() {
  local missing
  if ! command -v dpkg-query >/dev/null; then
    say "this is not Debian or Ubuntu; taking it that the equivalents of these are here: ${packages[*]}"
    return
  fi
  read -ra missing <<<"$(missing_packages)"
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
    die "packages are missing; run: sudo apt-get install --no-install-recommends ${missing[*]}"
  fi
  install_packages "${missing[@]}"
}

# --- the compiler ------------------------------------------------------------------------------
setup_compiler() {
  local compiler=${CXX:-g++} version
  version=$("$compiler" -dumpversion 2>/dev/null) || die "the C++ compiler '$compiler' does not run"
  case "$("$compiler" --version | head -n 1)" in
    *clang*) return ;;
  esac
  if [ "${version%%.*}" -lt 12 ]; then
    die "Cupel needs g++ 12 or newer, found $version: apt-get install g++-12, then set CXX=g++-12"
  fi
}

# --- Python ------------------------------------------------------------------------------------
# One line about an interpreter: "ok VERSION" or what is wrong with it.
torch_state() {
  "$1" - 2>/dev/null <<'PY' || echo "it cannot import torch"
import torch
numbers = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
print(f"ok {torch.__version__}" if numbers >= (2, 6) else f"its torch is {torch.__version__}")
PY
}

check_named_python() {
  local python=$1 state_line
  command -v "$python" >/dev/null || die "CUPEL_PYTHON=$python does not exist"
  state_line=$(torch_state "$python")
  case "$state_line" in
    ok*) say "using $python with torch ${state_line#ok }" ;;
    *) die "CUPEL_PYTHON=$python will not do: $state_line (torch 2.6 or newer is needed)" ;;
  esac
}

# The first interpreter that can make a virtual environment and has the headers that torch's
# C++ extensions need.
base_python() {
  local name
  for name in python3.12 python3.11 python3.13 python3.10 python3; do
    if "$name" - >/dev/null 2>&1 <<'PY'; then
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(not (sys.version_info >= (3, 10) and os.path.exists(header)))
PY
      command -v "$name"
      return
    fi
  done
  die "no Python 3.10 or newer with venv and headers: apt-get install python3-venv python3-dev"
}

pip_install() {
  "$home/.venv/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
    --root-user-action=ignore --progress-bar off "$@"
}

# A build for CPUs is a twentieth of the default one, which carries CUDA on x86.
install_torch() {
  local log=$state/pip.log
  if [ -n "${CUPEL_TORCH_INDEX:-}" ]; then
    run_logged "$log" pip_install --index-url "$CUPEL_TORCH_INDEX" "torch==$torch_version" && return
    tail -n 3 "$log" >&2
    die "pip could not install torch $torch_version from CUPEL_TORCH_INDEX (log: $log)"
  fi
  run_logged "$log" pip_install "torch==$torch_version+cpu" && return
  say "the package index has no CPU-only torch: taking the default build, which may be gigabytes"
  say "  (set CUPEL_TORCH_INDEX to PyTorch's CPU wheel index to avoid this; see pytorch.org)"
  run_logged "$log" pip_install "torch==$torch_version" && return
  tail -n 3 "$log" >&2
  die "pip could not install torch $torch_version (log: $log)"
}

setup_venv() {
  local stamp=$home/.venv/cupel-setup wanted base
  wanted="torch $torch_version numpy setuptools"
  [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return
  base=$(base_python)
  say "making .venv with $base and installing torch $torch_version (a few minutes)"
  rm -rf "$home/.venv"
  run_logged "$state/venv.log" "$base" -m venv "$home/.venv" ||
    die "cannot make .venv (log: $state/venv.log)"
  install_torch
  run_logged "$state/pip.log" pip_install numpy setuptools ||
    die "pip could not install numpy and setuptools (log: $state/pip.log)"
  printf '%s\n' "$wanted" >"$stamp"
}

setup_python() {
  if [ -n "${CUPEL_PYTHON:-}" ]; then
    check_named_python "$CUPEL_PYTHON"
  else
    setup_venv
  fi
}

setup_packages
setup_compiler
[ "${1:-all}" = build ] || setup_python
