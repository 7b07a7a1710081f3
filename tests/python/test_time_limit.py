"""A candidate that takes too long to load is ended at --time-limit, whatever takes the time.

Needs the built binary: CUPEL_BINARY, or build/cupel in the repository.
"""

import concurrent.futures
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


PROGRAMS = {"a compiler that does not end": KERNEL, "one that reads nothing": UNREAD,
            "that of an extension": EXTENSION, "one at the first call": AT_ITS_CALL,
            "sleep": SLEEPS}


@unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
class TimeLimit(unittest.TestCase):
    """All are judged at once: most of what they do is to wait."""

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.folder = pathlib.Path(directory.name)
        with concurrent.futures.ThreadPoolExecutor(len(PROGRAMS)) as pool:
            cls.judged = dict(zip(PROGRAMS, pool.map(cls.judge, PROGRAMS)))

    @classmethod
    def folder_of(cls, name):
        return cls.folder / name.replace(" ", "_")

    @classmethod
    def judge(cls, name):
        """What `cupel judge` answers."""
        folder = cls.folder_of(name)
        folder.mkdir()
        (folder / "task.py").write_text(TASK, encoding="utf-8")
        (folder / "candidate.py").write_text(PROGRAMS[name], encoding="utf-8")
        environment = dict(os.environ, CUPEL_HOME=str(ROOT), CUPEL_RUNS=str(folder),
                           CUPEL_CACHE=str(folder / "cache"))
        return subprocess.run(
            [BINARY, "judge", "task.py", "candidate.py", "--time-limit", f"{LIMIT_S}s",
             "--threads", "1", "--json"], capture_output=True, text=True, check=False,
            cwd=folder, env=environment, timeout=250)

    def assert_timeout(self, name, phase, *parts):
        done = self.judged[name]
        self.assertEqual(done.returncode, BROKEN, done.stdout + done.stderr)
        verdict = json.loads(done.stdout)["verdict"]
        self.assertEqual((verdict["outcome"], verdict["fault"]), ("timeout", "candidate"), verdict)
        for part in (f"no answer within {LIMIT_S} s", *parts):
            self.assertIn(part, verdict["reasons"][0]["text"])
            self.assertIn(part, verdict["feedback"])
        self.assertIn(f"'{phase}'", verdict["feedback"])
        self.assertEqual(list(self.folder_of(name).rglob("*.so")), [])
        return verdict["feedback"]

    def test_compilers_that_an_import_waits_for(self):
        for name in ("a compiler that does not end", "one that reads nothing",
                     "that of an extension"):
            with self.subTest(name):
                self.assert_timeout(name, "import", "the compiler that it asked for took too long")

    def test_a_compiler_at_the_first_call(self):
        self.assert_timeout("one at the first call", "call",
                            "the compiler that it asked for took too long")

    def test_a_program_that_sleeps(self):
        self.assertNotIn("compiler", self.assert_timeout("sleep", "import"))


if __name__ == "__main__":
    unittest.main()
