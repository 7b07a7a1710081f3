#!/usr/bin/env bash
# Optimizes one shipped task: what is free, and a candidate written by hand. scripts/demo.sh [TASK]
set -euo pipefail
. "$(dirname "$0")/say.sh"

task=${1:-mish_gate}
candidate=()
if [ -f "$home/tasks/winners/$task.py" ]; then
  candidate=(--candidate "tasks/winners/$task.py")
fi
cd "$home"
command=(build/cupel optimize "tasks/$task.py" --effort quick --budget 60s "${candidate[@]}")
say "running: ${command[*]}"
exec "${command[@]}"
