#!/usr/bin/env bash
# Puts what `scripts/build.sh release` built, and what it needs from this machine, into a folder that
# runs on another x86-64 or arm64 Linux with the same or a newer glibc, Python and torch:
#   scripts/bundle.sh [BUILD_DIRECTORY]    makes build-bundle/cupel/ and build-bundle/cupel.tar.gz
#   scripts/bundle.sh --core DIRECTORY [BUILD_DIRECTORY]    makes DIRECTORY, what a wheel carries:
#                    only bin/cupel and the probe, lib/, libexec/, python/, prompts/, tasks/
#   bin/             the binary and cupel_bench, which find its libraries through $ORIGIN/../lib, and the probe
#   lib/             shared libraries of the binary and of bubblewrap, but for glibc's own;
#                    jemalloc, for machines that have none
#   libexec/cupel/   bubblewrap, for machines that have none
#   python/, tasks/, bench/, docs/, scripts/, tests/gpu/   as in the source tree
set -euo pipefail
. "$(dirname "$0")/say.sh"

component=() bundle=$home/build-bundle/cupel
if [ "${1:-}" = --core ]; then
  component=(--component core) bundle=$2
  shift 2
fi
built=${1:-$home/build-release}

# needed_by FILE: the shared libraries of an ELF file, without the loader's and glibc's own, which
# must be those of the machine that it runs on.
needed_by() {
  ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -Ev '/(libc|libm|libdl|librt|libpthread|libresolv|ld-linux[^/]*)\.so[.0-9]*$' || true
}

carry_libraries_of() {
  local library
  needed_by "$1" | while read -r library; do
    install -m 644 "$(readlink -f "$library")" "$bundle/lib/$(basename "$library")"
  done
}

# Started through the loader, which leaves nothing in the environment of what it jails.
carry_bubblewrap() {
  local bwrap loader
  bwrap=$(command -v bwrap) || die "bubblewrap is not installed: apt-get install bubblewrap"
  loader=$(ldd "$bwrap" | awk '/ld-linux/ { print $1 }')
  carry_libraries_of "$bwrap"
  install -D -m 755 "$bwrap" "$bundle/libexec/cupel/bwrap.elf"
  cat >"$bundle/libexec/cupel/bwrap" <<EOF
#!/bin/sh
here=\$(dirname "\$0")
exec $loader --library-path "\$here/../../lib" "\$here/bwrap.elf" "\$@"
EOF
  chmod 755 "$bundle/libexec/cupel/bwrap"
}

# Loaded into Python processes, which have the C++ library of their own machine.
carry_allocator() {
  local library
  library=$(ldconfig -p | awk '/libjemalloc\.so\.2 / && !found { print $NF; found = 1 }')
  [ -n "$library" ] || die "jemalloc is not installed: apt-get install libjemalloc2"
  install -m 644 "$(readlink -f "$library")" "$bundle/lib/libjemalloc.so.2"
}

[ -x "$built/cupel" ] || die "$built/cupel is not built: scripts/build.sh release cupel cupel_bench cupel_probe"
rm -rf "$bundle"
run_logged "$state/bundle.log" cmake --install "$built" --prefix "$bundle" --strip "${component[@]}" ||
  die "cmake --install failed (log: $state/bundle.log)"
mkdir -p "$bundle/lib"
carry_libraries_of "$built/cupel"
carry_bubblewrap
carry_allocator
say "made ${bundle#"$home"/} ($(du -sh "$bundle" | cut -f1))"
[ ${#component[@]} -eq 0 ] || exit 0
tar -C "$home/build-bundle" -czf "$home/build-bundle/cupel.tar.gz" cupel
say "made build-bundle/cupel.tar.gz"
