#!/usr/bin/env bash
# Attacks on the judge (tests/cheats), which must all be turned away, and honest candidates that
# look suspicious (tests/honest), which must all be accepted: scripts/attack.sh [FOLDER_OR_FILE...]
# Those that need a GPU run where there is one. CUPEL_SCENARIOS names the runner where it is not
# build/cupel_scenarios.
set -euo pipefail
home=$(cd "$(dirname "$0")/.." && pwd)
runner=${CUPEL_SCENARIOS:-$home/build/cupel_scenarios}
export CUPEL_HOME=$home PYTHONPATH=$home/python PYTHONDONTWRITEBYTECODE=1
if [ $# -eq 0 ]; then set -- "$home/tests/cheats" "$home/tests/honest"; fi
exec "$runner" --slow "$@"
