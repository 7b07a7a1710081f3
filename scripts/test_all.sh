#!/usr/bin/env bash
# Everything: all tests with every scenario; the unit tests once more under the address and
# undefined-behaviour sanitizers; those with threads under the thread sanitizer.
set -euo pipefail
. "$(dirname "$0")/say.sh"

threaded='^(base|llm|journal|engine|measure)\.' # modules whose tests start threads
scripts=$home/scripts

"$scripts/build.sh" dev
"$scripts/test.sh" dev -LE sample
"$scripts/build.sh" asan
"$scripts/test.sh" asan -L unit
"$scripts/build.sh" tsan test_base test_llm test_journal test_engine test_measure \
  engine_crash_driver cupel cupel_probe
"$scripts/test.sh" tsan -L unit -R "$threaded"
