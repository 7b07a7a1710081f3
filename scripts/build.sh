#!/usr/bin/env bash
# Configures and builds a CMake preset: scripts/build.sh PRESET [NINJA ARGUMENTS...]
# Quiet when it succeeds; one clear line, or the compiler's own words, when it does not.
set -euo pipefail
. "$(dirname "$0")/say.sh"

preset=$1
shift
case $preset in
  dev) directory=$home/build ;;
  *) directory=$home/build-$preset ;;
esac

configure() {
  local log=$state/cmake-$preset.log settings=()
  command -v ccache >/dev/null && settings+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  [ -z "${CUPEL_WERROR:-}" ] || settings+=(-DCUPEL_WERROR=ON)
  say "configuring $preset"
  if ! (cd "$home" && run_logged "$log" cmake --preset "$preset" "${settings[@]}"); then
    grep -m 1 'Cupel needs' "$log" >&2 || tail -n 30 "$log" >&2
    die "cmake failed (log: $log)"
  fi
}

[ -f "$directory/build.ninja" ] || configure
say "building $preset in ${directory#"$home"/}/"
ninja -C "$directory" "$@" >"$state/ninja-$preset.log" 2>&1 || {
  grep -v '^\[[0-9]*/[0-9]*\] \|^ninja: Entering' "$state/ninja-$preset.log" | head -n 60 >&2
  die "the build failed (log: $state/ninja-$preset.log)"
}
