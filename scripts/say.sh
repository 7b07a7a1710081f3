# Sourced by the other scripts: short progress lines, and one clear line for what is wrong.
home=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
state=$home/.cache/setup # logs and stamps; safe to delete
mkdir -p "$state"

say() { printf 'cupel: %s\n' "$*" >&2; }

die() {
  printf 'cupel: %s\n' "$*" >&2
  exit 1
}

# run_logged LOG COMMAND...: quiet while it works; the command's status when it does not.
run_logged() {
  local log=$1
  shift
  "$@" >"$log" 2>&1
}
