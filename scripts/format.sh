#!/usr/bin/env bash
# Formats every C++ file in place. Version 14 is the one that the style test compares with.
set -euo pipefail
. "$(dirname "$0")/say.sh"

for tool in clang-format-14 clang-format; do
  command -v "$tool" >/dev/null && break
done
command -v "$tool" >/dev/null || die "clang-format is missing; run: apt-get install clang-format"
find "$home/src" "$home/apps" "$home/tests" "$home/bench" \
  \( -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 "$tool" -i
say "formatted with $("$tool" --version | grep -o 'version [0-9.]*')"
