#!/usr/bin/env bash
# Runs the tests that need a GPU, on a machine that has one: from a build, or from a bundle.
# CUPEL_BINARY names the binary where it is not build/cupel or bin/cupel.
set -euo pipefail
home=$(cd "$(dirname "$0")/.." && pwd)
for binary in "${CUPEL_BINARY:-}" "$home/build/cupel" "$home/bin/cupel" "$home/cupel"; do
  if [ -x "$binary" ]; then break; fi
done
export CUPEL_BINARY=$binary CUPEL_HOME=$home PYTHONPATH=$home/python PYTHONDONTWRITEBYTECODE=1
cd "$home/tests/gpu"
exec "$home/scripts/python.sh" -m unittest "${@:-discover}"
