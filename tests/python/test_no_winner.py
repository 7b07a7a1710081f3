"""A user's program in which nothing is faster: `cupel optimize-model` and `cupel ship` with the
real binary say so and what to do, and leave everything as it was.

Needs the built binary: CUPEL_BINARY, or build/cupel in the repository.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from built import BINARY, ROOT

NOTHING_WON, INPUT_ERROR = 1, 4
# Its time is one library call's, which whatever compiles it calls as well.
PROGRAM = '''
import torch


class Ranks(torch.nn.Module):
    def forward(self, scores):
        return torch.sort(scores, dim=-1).values


def main():
    torch.manual_seed(0)
    model, scores = Ranks().eval(), torch.randn(64, 4096)
    with torch.no_grad():
        total = sum(model(scores)[:, 0].sum().item() for _ in range(10))
    print(f"served {total:.3f}")


if __name__ == "__main__":
    main()
'''


@unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
class NoWinner(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.at = pathlib.Path(directory.name)
        (cls.at / "rank.py").write_text(PROGRAM, encoding="utf-8")
        cls.before = cls.served()
        cls.done = cls.run_of(BINARY, "optimize-model", "--minutes", "1", "--effort", "quick",
                              "--threads", "1", "rank.py")

    @classmethod
    def run_of(cls, *command):
        environment = {**os.environ, "CUPEL_HOME": str(ROOT), "CUPEL_BINARY": str(BINARY)}
        return subprocess.run(command, capture_output=True, text=True, cwd=cls.at,
                              env=environment, timeout=550, check=False)

    @classmethod
    def served(cls):
        return cls.run_of(sys.executable, "rank.py").stdout

    def test_it_says_so_and_what_to_do(self):
        self.assertEqual(self.done.returncode, NOTHING_WON, self.done.stdout + self.done.stderr)
        last = self.done.stdout.strip().splitlines()[-1]
        self.assertIn("Nothing is faster than the original, which stays as it is.", last)
        for way in ("--minutes", "--policy half", "cupel optimize optimized/tasks/NAME.py --llm"):
            self.assertIn(way, last)
        self.assertNotIn("cupel ship", last)
        self.assertRegex(self.done.stdout, r"the whole model +latency")

    def test_there_is_nothing_to_ship(self):
        run = next((self.at / "optimized/runs").iterdir())
        done = self.run_of(BINARY, "ship", run, "--out", "fast")
        self.assertEqual(done.returncode, INPUT_ERROR)
        self.assertIn("nothing beat the original in this run, so there is nothing to ship",
                      done.stderr)
        self.assertFalse((self.at / "fast").exists())

    def test_the_original_is_as_it_was(self):
        self.assertEqual((self.at / "rank.py").read_text(encoding="utf-8"), PROGRAM)
        self.assertRegex(self.before, "^served -")
        self.assertEqual(self.served(), self.before)


if __name__ == "__main__":
    unittest.main()
