#!/bin/sh
# Runs the Python that the binary would run: CUPEL_PYTHON, else .venv, else python3.
home=$(cd "$(dirname "$0")/.." && pwd)
if [ -n "$CUPEL_PYTHON" ]; then
  exec "$CUPEL_PYTHON" "$@"
fi
if [ -x "$home/.venv/bin/python" ]; then
  exec "$home/.venv/bin/python" "$@"
fi
exec python3 "$@"
