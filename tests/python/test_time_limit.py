"""A candidate that takes too long to load is ended at --time-limit, whatever takes the time.

Needs the built binary: CUPEL_BINARY, or build/cupel in the repository.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from built import BINARY, ROOT

BROKEN = 3
LIMIT_S = 6  # a fiftieth of what the compiler would take

TASK = """
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1)


def get_inputs():
    return [torch.randn(16, 64)]
"""
MODEL = """
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1)
"""
# What -wrapper names stands before the compiler proper: here it does not end.
KERNEL = '''
import torch
from cupel.inline import cpp_kernel

kernel = cpp_kernel('extern "C" void nothing() {}', "nothing", ["-wrapper", "sh,-c,sleep 300"])
''' + MODEL
# More text than a pipe holds, which the compiler does not read.
UNREAD = KERNEL.replace("{}'", "{}' + ' ' * (3 << 20)")
EXTENSION = '''
import torch
from torch.utils.cpp_extension import load_inline

module = load_inline("hangs", "int f() { return 1; }", functions=["f"],
                     extra_cflags=["-wrapper", r"sh,-c,sleep\\ 300"])
''' + MODEL
AT_ITS_CALL = KERNEL.replace("kernel = cpp_kernel", "build = lambda: cpp_kernel").replace(
    "        return", "        build()\n        return")
SLEEPS = "import time\nimport torch\n\ntime.sleep(300)\n" + MODEL


@unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
class TimeLimit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.folder = pathlib.Path(directory.name)
        (cls.folder / "task.py").write_text(TASK, encoding="utf-8")

    def judged(self, candidate):
        """The verdict's document."""
        (self.folder / "candidate.py").write_text(candidate, encoding="utf-8")
        environment = dict(os.environ, CUPEL_HOME=str(ROOT), CUPEL_RUNS=str(self.folder),
                           CUPEL_CACHE=str(self.folder / "cache"))
        done = subprocess.run(
            [BINARY, "judge", "task.py", "candidate.py", "--time-limit", f"{LIMIT_S}s",
             "--threads", "1", "--json"], capture_output=True, text=True, check=False,
            cwd=self.folder, env=environment, timeout=250)
        self.assertEqual(done.returncode, BROKEN, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def assert_timeout(self, candidate, phase, *parts):
        answer = self.judged(candidate)
        verdict = answer["verdict"]
        self.assertEqual((verdict["outcome"], verdict["fault"]), ("timeout", "candidate"), answer)
        for part in (f"no answer within {LIMIT_S} s", *parts):
            self.assertIn(part, verdict["reasons"][0]["text"])
            self.assertIn(part, verdict["feedback"])
        self.assertIn(f"'{phase}'", verdict["feedback"])
        self.assertEqual(list((self.folder / "cache").rglob("*.so")), [])

    def test_a_compiler_that_does_not_end(self):
        self.assert_timeout(KERNEL, "import", "the compiler that it asked for took too long")

    def test_a_compiler_that_reads_nothing(self):
        self.assert_timeout(UNREAD, "import", "the compiler that it asked for took too long")

    def test_a_compiler_of_an_extension(self):
        self.assert_timeout(EXTENSION, "import", "the compiler that it asked for took too long")

    def test_a_compiler_at_the_first_call(self):
        self.assert_timeout(AT_ITS_CALL, "call", "the compiler that it asked for took too long")

    def test_a_program_that_sleeps(self):
        self.assert_timeout(SLEEPS, "import")
        self.assertNotIn("compiler", self.judged(SLEEPS)["verdict"]["feedback"])


if __name__ == "__main__":
    unittest.main()
