#!/usr/bin/env bash
# Builds and runs C++ unit tests under a sanitizer: scripts/sanitize.sh asan|tsan
# The thread sanitizer gets the modules that start or keep apart threads.
set -euo pipefail
. "$(dirname "$0")/say.sh"

preset=$1
uses=.
[ "$preset" != tsan ] || uses='std::(thread|jthread|async|mutex|atomic)'

modules=()
for folder in "$home"/src/*/; do
  module=$(basename "$folder")
  [ -z "$(find "$home/tests/$module" -name '*_test.cpp' 2>/dev/null)" ] ||
    ! grep -rqE "$uses" "$folder" "$home/tests/$module" || modules+=("$module")
done
"$home/scripts/build.sh" "$preset" "${modules[@]/#/test_}"
"$home/scripts/test.sh" "$preset" -L unit -R "^($(IFS='|'; echo "${modules[*]}"))\."
