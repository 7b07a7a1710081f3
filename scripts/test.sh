#!/usr/bin/env bash
# Runs the tests of a built preset through ctest: scripts/test.sh PRESET [CTEST ARGUMENTS...]
set -euo pipefail
. "$(dirname "$0")/say.sh"

preset=$1
shift
case $preset in
  dev) directory=$home/build ;;
  *) directory=$home/build-$preset ;;
esac
say "testing $preset"
status=0
ctest --test-dir "$directory" --output-on-failure -j 2 "$@" || status=$?
log=$directory/Testing/Temporary/LastTest.log
skipped=$(grep -c '^\[  SKIPPED \] .* ms)$' "$log" 2>/dev/null || true)
[ "${skipped:-0}" = 0 ] || say "$skipped unit tests were skipped on this machine: ${log#"$home/"} names them"
exit "$status"
