"""Every header compiles alone and says #pragma once."""

import hashlib
import os
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import source_tree as tree

unittest.TestCase.maxDiff = None  # a list of offenders is read whole

COMPILER = os.environ.get("CXX") or "g++"
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-DJSON_DIAGNOSTICS=1",
         "-DFMT_HEADER_ONLY=1", f"-I{tree.ROOT / 'src'}"]
JOBS = 2


def cache_folder():
    root = os.environ.get("CUPEL_CACHE") or tree.ROOT / ".cache"
    folder = Path(root) / "style-headers"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def closure(header, seen):
    """The header and all of ours that it includes."""
    if header not in seen and header.exists():
        seen.add(header)
        for _, name, quoted in tree.includes(header):
            if quoted:
                closure(tree.ROOT / "src" / name, seen)
    return seen


def key_of(header, compiler_version):
    digest = hashlib.sha256(" ".join([compiler_version, *FLAGS, str(header)]).encode())
    for path in sorted(closure(header, set())):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def problem_of(header, stamp):
    """The compiler's complaint, or "". A header known to compile is not compiled again."""
    if stamp.exists():
        return ""
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as unit:
        unit.write(f'#include "{header}"\n')
        unit.flush()
        done = subprocess.run([COMPILER, *FLAGS, unit.name], capture_output=True, text=True)
    if done.returncode:
        return f"{header}:\n{done.stderr[:800]}"
    stamp.touch()
    return ""


def proven_by_build(header):
    """Whether a source beside it includes it first: then the build compiles it alone."""
    source = header.with_suffix(".cpp")
    if not source.exists():
        return False
    first = next(iter(tree.includes(source)), None)
    return first is not None and first[1].split("/")[-1] == header.name


class HeadersTest(unittest.TestCase):
    def test_each_compiles_alone(self):
        version = subprocess.run([COMPILER, "--version"], capture_output=True, text=True).stdout
        folder = cache_folder()
        headers = [header for header in tree.files("src", "apps", suffixes=(".h",))
                   if not proven_by_build(header)]
        self.assertGreater(len(headers), 20)
        with ThreadPoolExecutor(JOBS) as pool:
            problems = pool.map(lambda h: problem_of(h, folder / key_of(h, version)), headers)
            self.assertEqual([p for p in problems if p], [])

    def test_each_is_guarded(self):
        for header in tree.files(*tree.CPP_ROOTS, suffixes=(".h",)):
            self.assertIn("#pragma once", header.read_text().splitlines(), tree.short(header))

    def test_a_header_that_leans_on_others_is_noticed(self):
        with tempfile.TemporaryDirectory(dir=cache_folder()) as folder:
            header = Path(folder) / "leaning.h"
            header.write_text("#pragma once\nstd::string name();\n")
            self.assertIn("string", problem_of(header, Path(folder) / "stamp"))


if __name__ == "__main__":
    unittest.main()
