#!/usr/bin/env bash
# Best free variant over eager, and the hand-written candidate over the best free variant, for every
# shipped task (or those named). One line a task; the runs stay under $CUPEL_RUNS.
#   bench/portfolio.sh [TASK...]
set -euo pipefail
cd "$(dirname "$0")/.."
cupel=${CUPEL_BINARY:-build/cupel}
effort=${EFFORT:-quick}
tasks=("$@")
[ ${#tasks[@]} -gt 0 ] || for file in tasks/*.py; do tasks+=("$(basename "$file" .py)"); done

for task in "${tasks[@]}"; do
  own=()
  [ ! -f "tasks/winners/$task.py" ] || own=(--candidate "tasks/winners/$task.py")
  "$cupel" optimize "$task" --effort "$effort" "${own[@]}" --json 2>/dev/null |
    python3 -c '
import json, sys
run = json.loads(sys.stdin.read().splitlines()[-1])
print(sys.argv[1])
for row in run["table"]:
    verdict = row["verdict"]
    ratios = ["{:.2f}x [{:.2f}, {:.2f}] over {}".format(r["ratio"], r["low"], r["high"], r["over"])
              for r in verdict.get("ratios", [])]
    print("  {:<18} {:<34} {}".format(row["role"], row["label"], "; ".join(ratios)))
' "$task" || echo "$task: failed"
done
