"""`cupel ship` and `cupel recheck` with the real binary: from searches on two shapes to one package
in a user's program.

Needs the built binary: CUPEL_BINARY, or build/cupel in the repository.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

from built import BINARY, ROOT

INPUT_ERROR = 4
TRIES = 3  # a gain is shown on a quiet machine
OTHER_ROWS = 384
WINNER = ROOT / "tasks/winners/mish_gate.py"


@unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
class Ship(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.at = pathlib.Path(directory.name)
        shutil.copy(ROOT / "tasks/mish_gate.py", cls.at)
        (cls.at / "mish_gate.toml").write_text(f'held_out = ["ROWS = {OTHER_ROWS}"]\n',
                                               encoding="utf-8")
        for attempt in range(TRIES):
            found = cls.cupel("optimize", "mish_gate.py", "--each-shape", "--candidate", WINNER,
                              "--effort", "quick", "--budget", "60s", "--run-dir",
                              cls.at / f"run{attempt}", "--json")
            cls.shapes = json.loads(found.stdout)["shapes"]
            cls.runs = [each["run"]["directory"] for each in cls.shapes]
            shipped = cls.cupel("ship", *cls.runs, "--out", cls.at / "fast", "--name", "fast_gate",
                                "--json", status=None)
            if shipped.returncode == 0:
                cls.shipped = json.loads(shipped.stdout)
                return
        raise unittest.SkipTest("a busy machine shows no gain of seven times: "
                                f"{shipped.stdout}{shipped.stderr}")

    @classmethod
    def cupel(cls, *arguments, status=0):
        environment = {**os.environ, "CUPEL_HOME": str(ROOT), "CUPEL_RUNS": str(cls.at / "runs")}
        done = subprocess.run([BINARY, *arguments], capture_output=True, text=True, cwd=cls.at,
                              env=environment, timeout=550, check=False)
        if status is not None and done.returncode != status:
            raise AssertionError(f"{arguments}: {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def test_what_is_told(self):
        self.assertEqual(self.shipped["name"], "fast_gate")
        self.assertRegex(self.shipped["proved"], r"Ran \d+ tests")
        self.assertEqual(len(self.shipped["entries"]), 2)
        for entry, shape, rows in zip(self.shipped["entries"], self.shapes, (512, OTHER_ROWS)):
            self.assertEqual(shape["inputs"], f"f32[{rows},1024],f32[{rows},1024]")
            self.assertIn(f"[{rows},1024]", entry["inputs"])
            self.assertTrue(entry["operator"])
            self.assertGreater(entry["low"], 1)

    def test_the_sources_are_those_that_were_judged(self):
        winners = list((self.at / "fast/fast_gate/winners").glob("*.py"))
        self.assertEqual([path.read_bytes() for path in winners], [WINNER.read_bytes()])
        provenance = json.loads((self.at / "fast/fast_gate/provenance.json").read_text())
        self.assertEqual(len(provenance["runs"]), 2)
        for run in provenance["runs"]:
            self.assertEqual(run["written_by"]["proposal"]["kind"], "file")
            self.assertTrue(run["machine"]["device"])
            self.assertRegex(run["machine"]["torch"], r"^\d+\.\d+$")

    def test_in_a_program_that_knows_no_cupel(self):
        script = textwrap.dedent("""\
            import sys, torch
            sys.path[:0] = sys.argv[1:]
            import fast_gate, mish_gate
            model = torch.nn.ModuleList([mish_gate.Model(mish_gate.CHANNELS) for _ in range(2)])
            answers = {512: "the winner", 384: "the winner", 100: "the original"}
            with torch.no_grad():
                for seed in range(30):
                    mish_gate.ROWS = list(answers)[seed % 3]
                    inputs = mish_gate.get_inputs()
                    want = [module(*inputs) for module in model]
                    assert len(fast_gate.apply(model, quiet=True).modules) == 2
                    for module, wanted in zip(model, want):
                        assert answers[mish_gate.ROWS] in fast_gate.why(module, *inputs)
                        torch.testing.assert_close(module(*inputs), wanted, rtol=1e-4, atol=1e-4)
                    fast_gate.restore(model)
            assert "cupel" not in sys.modules
            """)
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.at)}
        done = subprocess.run([sys.executable, "-c", script, self.at / "fast", ROOT / "tasks"],
                              env=variables, capture_output=True, text=True, timeout=300,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_is_judged_again(self):
        manifest = self.at / "fast/fast_gate/manifest.json"
        told = json.loads(manifest.read_text())
        told["entries"][0]["machines"] = [{"device": "another one", "torch": "2.6"}]
        manifest.write_text(json.dumps(told))
        done = self.cupel("recheck", self.at / "fast", "--trust", "--json", "--quiet", status=None)
        outcome = json.loads(done.stdout)["entries"][0]["verdict"]["outcome"]
        self.assertIn(outcome, ("faster", "ambiguous", "same"))
        machines = json.loads(manifest.read_text())["entries"][0]["machines"]
        self.assertEqual(len(machines), 2 if outcome == "faster" else 1)

    def test_nothing_is_written_over(self):
        done = self.cupel("ship", *self.runs, "--out", self.at / "fast", status=INPUT_ERROR)
        self.assertIn("not empty", done.stderr)
        for wrong in ("Fast", "torch", "2x"):
            done = self.cupel("ship", *self.runs, "--name", wrong, status=INPUT_ERROR)
            self.assertIn("--name", done.stderr)
        done = self.cupel("ship", "nosuchrun", status=INPUT_ERROR)
        self.assertIn("nosuchrun", done.stderr)
        done = self.cupel("recheck", self.at / "runs", status=INPUT_ERROR)
        self.assertIn("manifest.json", done.stderr)


if __name__ == "__main__":
    unittest.main()
