"""C++ is formatted as .clang-format says. Versions differ in details: only 14 is compared."""

import re
import shutil
import subprocess
import unittest

import source_tree as tree

VERSION = 14


def formatter():
    """The path of clang-format 14, or None."""
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path:
            said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {VERSION}\.", said):
                return path
    return None


class FormatTest(unittest.TestCase):
    def test_sources_are_formatted(self):
        tool = formatter()
        if tool is None:
            self.skipTest(f"clang-format {VERSION} is not installed")
        paths = [str(path) for path in tree.cpp_files()]
        done = subprocess.run([tool, "--dry-run", "-Werror", *paths], capture_output=True,
                              text=True, cwd=tree.ROOT)
        self.assertEqual(done.returncode, 0, "run `make format`:\n" + done.stderr[:2000])


if __name__ == "__main__":
    unittest.main()
