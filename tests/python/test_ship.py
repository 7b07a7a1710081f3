"""`cupel ship` and `cupel recheck` with the real binary: from a search to a user's program.

Needs the built binary: CUPEL_BINARY, or build/cupel in the repository.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("CUPEL_BINARY", ROOT / "build" / "cupel"))
INPUT_ERROR = 4
TRIES = 3  # a gain is shown on a quiet machine
WINNER = ROOT / "tasks/winners/mish_gate.py"


@unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
class Ship(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.at = pathlib.Path(directory.name)
        for attempt in range(TRIES):
            cls.run_directory = cls.at / f"run{attempt}"
            cls.cupel("optimize", "mish_gate", "--candidate", WINNER, "--effort", "quick",
                      "--budget", "30s", "--run-dir", cls.run_directory, "--quiet")
            shipped = cls.cupel("ship", cls.run_directory, "--out", cls.at / "fast", "--name",
                                "fast_gate", "--json", status=None)
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
        entry, = self.shipped["entries"]
        self.assertTrue(entry["operator"])
        self.assertGreater(entry["low"], 1)

    def test_the_sources_are_those_that_were_judged(self):
        winners = list((self.at / "fast/fast_gate/winners").glob("*.py"))
        self.assertEqual([path.read_bytes() for path in winners], [WINNER.read_bytes()])
        provenance = json.loads((self.at / "fast/fast_gate/provenance.json").read_text())
        run, = provenance["runs"]
        self.assertEqual(run["written_by"]["proposal"]["kind"], "file")
        self.assertTrue(run["machine"]["device"])
        self.assertRegex(run["machine"]["torch"], r"^\d+\.\d+$")

    def test_in_a_program_that_knows_no_cupel(self):
        script = textwrap.dedent("""\
            import sys, torch
            sys.path[:0] = sys.argv[1:]
            import fast_gate, mish_gate
            model = torch.nn.ModuleList([mish_gate.Model(mish_gate.CHANNELS) for _ in range(2)])
            with torch.no_grad():
                for seed in range(20):
                    inputs = mish_gate.get_inputs()
                    want = [module(*inputs) for module in model]
                    assert len(fast_gate.apply(model, quiet=True).modules) == 2
                    for module, wanted in zip(model, want):
                        assert "the winner" in fast_gate.why(module, *inputs)
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
        entry, = json.loads(done.stdout)["entries"]
        outcome = entry["verdict"]["outcome"]
        self.assertIn(outcome, ("faster", "ambiguous", "same"))
        machines = json.loads(manifest.read_text())["entries"][0]["machines"]
        self.assertEqual(len(machines), 2 if outcome == "faster" else 1)

    def test_nothing_is_written_over(self):
        done = self.cupel("ship", self.run_directory, "--out", self.at / "fast", status=INPUT_ERROR)
        self.assertIn("not empty", done.stderr)
        for wrong in ("Fast", "torch", "2x"):
            done = self.cupel("ship", self.run_directory, "--name", wrong, status=INPUT_ERROR)
            self.assertIn("--name", done.stderr)
        done = self.cupel("ship", "nosuchrun", status=INPUT_ERROR)
        self.assertIn("nosuchrun", done.stderr)
        done = self.cupel("recheck", self.at / "runs", status=INPUT_ERROR)
        self.assertIn("manifest.json", done.stderr)


if __name__ == "__main__":
    unittest.main()
