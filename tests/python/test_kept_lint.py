"""A lint that is kept: taken up by the next judgement, made anew by `cupel lint`, out of reach of
candidates. Runs the built binary: CUPEL_BINARY, or build/cupel in the repository."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from built import BINARY, ROOT

TASK = """
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x) * 2


def get_inputs():
    return [torch.randn(64, 64)]


def get_init_inputs():
    return []
"""
CANDIDATE = """
import os
import torch

LINTS = {lints!r}


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        if os.path.exists(LINTS) and os.listdir(LINTS) != ["forged.json"]:
            raise RuntimeError("there it is")
        try:
            os.makedirs(LINTS)
            open(os.path.join(LINTS, "forged.json"), "w").close()
        except OSError:
            pass

    def forward(self, x):
        return torch.tanh(x) * 2
"""


@unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
class KeptLint(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.lints = self.directory / "cache" / "lints"
        self.task = self.directory / "task.py"
        self.task.write_text(TASK, encoding="utf-8")
        self.candidate = self.directory / "candidate.py"
        self.candidate.write_text(CANDIDATE.format(lints=str(self.lints)), encoding="utf-8")

    def cupel(self, *arguments):
        environment = dict(os.environ, CUPEL_HOME=str(ROOT),
                           CUPEL_CACHE=str(self.directory / "cache"))
        done = subprocess.run([BINARY, *map(str, arguments), "--json"], capture_output=True,
                              text=True, cwd=self.directory, env=environment, timeout=300,
                              check=False)
        return json.loads(done.stdout)

    def judge(self):
        return self.cupel("judge", self.task, self.candidate)["verdict"]["outcome"]

    def kept(self):
        """What lies there: names, and when each was written."""
        return {path.name: path.stat().st_mtime_ns for path in self.lints.iterdir()}

    def test_a_lint_is_made_once_and_no_candidate_reaches_it(self):
        self.assertIn(self.judge(), ("same", "ambiguous", "faster", "slower"))
        first = self.kept()
        self.assertEqual(len(first), 1)
        self.assertIn(self.judge(), ("same", "ambiguous", "faster", "slower"))
        self.assertEqual(self.kept(), first)
        self.cupel("lint", self.task)
        again = self.kept()
        self.assertEqual(again.keys(), first.keys())
        self.assertNotEqual(again, first)
        self.task.write_text(TASK.replace("* 2", "* 3"), encoding="utf-8")
        self.assertEqual(self.judge(), "wrong")
        self.assertEqual(len(self.kept()), 2)

    def test_a_lint_that_tells_nothing_is_made_anew(self):
        self.task.write_text(TASK.replace("torch.tanh(x) * 2", "torch.sin(1e9 * x)"),
                             encoding="utf-8")
        self.assertEqual(self.judge(), "degenerate")
        self.assertFalse(self.lints.exists() and self.kept())


if __name__ == "__main__":
    unittest.main()
