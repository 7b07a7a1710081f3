import io
import os
import stat
import subprocess
import sys
import tempfile
import unittest
from os import path
from unittest import mock

import cupel
from built import BINARY, ROOT
from cupel.api.progress import NotebookLine, TerminalLine
from cupel.api.results import Run, Verdict


class Api(unittest.TestCase):
    """The package against a program that stands where the binary would and shows its arguments."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.built = os.environ.get("CUPEL_BINARY")
        self.binary = path.join(directory.name, "cupel")
        patched = mock.patch.dict(os.environ, CUPEL_BINARY=self.binary)
        patched.start()
        self.addCleanup(patched.stop)

    def binary_that(self, does):
        with open(self.binary, "w", encoding="utf-8") as file:
            file.write(f"#!{sys.executable}\nimport json, sys\n{does}\n")
        os.chmod(self.binary, os.stat(self.binary).st_mode | stat.S_IXUSR)

    def test_arguments_and_the_answer(self):
        self.binary_that("print('progress'); print(json.dumps({'argv': sys.argv[1:], "
                         "'directory': 'd', 'run_id': 'r', 'winner_id': ''}))")
        answer = cupel.judge("t.py", "c.py", policy="exact", against=["a", "b"], fast=True,
                             slow=False, none=None, time_budget_s=2.5)
        self.assertEqual(answer["argv"], [
            "judge", "t.py", "c.py", "--json", "--policy", "exact", "--against", "a", "--against",
            "b", "--fast", "--time-budget-s", "2.5"])
        self.assertEqual(cupel.lint("t.py")["argv"], ["lint", "t.py", "--json"])
        self.assertEqual(cupel.optimize("t.py")["argv"], ["optimize", "t.py", "--json"])

    def test_packages(self):
        self.binary_that("print(json.dumps({'argv': sys.argv[1:], 'directory': 'd', 'name': 'p'}))")
        package = cupel.ship(["one", "two"], "there", name="p")
        self.assertEqual(package["argv"], ["ship", "one", "two", "--json", "--out", "there",
                                           "--name", "p"])
        self.assertEqual(package.name, "p")
        self.assertEqual(cupel.recheck(package, trust=True)["argv"],
                         ["recheck", "d", "--json", "--trust"])

    def test_a_status_with_an_answer_is_an_answer(self):
        self.binary_that("print(json.dumps({'kind': 'wrong'})); sys.exit(1)")
        self.assertEqual(cupel.judge("t.py", "c.py"), {"kind": "wrong"})

    def test_failures_carry_the_binarys_words(self):
        for does in ("print('t.py: no such file', file=sys.stderr); sys.exit(2)",
                     "print(json.dumps({'version': 1, 'kind': 'error', 'tag': 'input', "
                     "'what': 'no such file', 'where': 't.py', 'hint': ''})); sys.exit(2)"):
            self.binary_that(does)
            with self.assertRaises(cupel.CupelError) as caught:
                cupel.lint("t.py")
            self.assertEqual((str(caught.exception), caught.exception.status),
                             ("t.py: no such file", 2))

    def test_progress_goes_to_who_asks_for_it(self):
        self.binary_that("print(json.dumps({'kind': 'note', 'text': 'slow', 'asked': "
                         "'--progress-lines' in sys.argv}), file=sys.stderr)\n"
                         "print(json.dumps({'kind': 'lint'}))")
        events = []
        cupel.lint("t.py", progress=events.append)
        self.assertEqual(events, [{"kind": "note", "text": "slow", "asked": True}])

    def test_progress_on_a_terminal_is_one_line(self):
        stream = io.StringIO()
        stream.isatty = lambda: True
        line = TerminalLine(stream)
        for event in ({"kind": "progress", "text": "judging 1 of 2"},
                      {"kind": "judged", "headline": "faster 2.0x", "label": "seed"},
                      {"kind": "progress", "text": "judging 2 of 2"}, None):
            line(event)
        self.assertEqual(stream.getvalue(), "judging 1 of 2\r\033[Kfaster 2.0x  seed\n"
                         "judging 2 of 2\r\033[K")

    def test_progress_in_a_notebook_is_one_output(self):
        shown = []

        class Handle:
            def update(self, data, raw):
                shown.append(data["text/plain"])

        line = NotebookLine(lambda data, raw, display_id: Handle())
        for event in ({"kind": "note", "text": "slow"}, {"kind": "progress", "text": "judging"},
                      None):
            line(event)
        self.assertEqual(shown, ["note: slow", "note: slow\njudging", "note: slow"])

    def test_the_real_binarys_errors(self):
        if not self.built:
            self.skipTest("CUPEL_BINARY names no binary")
        os.environ["CUPEL_BINARY"] = self.built
        with self.assertRaisesRegex(cupel.CupelError, "missing.py") as caught:
            cupel.judge("missing.py", "candidate.py")
        self.assertEqual(caught.exception.status, 4)

    def test_a_missing_binary(self):
        with self.assertRaisesRegex(cupel.CupelError, "cannot run"):
            cupel.lint("t.py")

    def test_what_a_class_and_its_inputs_are_called(self):
        import torch
        self.binary_that("print(json.dumps({'argv': sys.argv[1:]}))")
        argv = cupel.lint(torch.nn.Linear, init=[4, 8], inputs=torch.zeros(2, 4))["argv"]
        root = path.dirname(path.dirname(torch.__file__))
        self.assertEqual(argv, ["lint", "torch.nn.modules.linear:Linear", "--json", "--inputs",
                                "f32[2,4]", "--import-root", root, "--init", "[4, 8]"])
        inputs = (torch.tensor([3, 1]), torch.zeros((), dtype=torch.bfloat16))
        self.assertEqual(cupel.lint("pkg:Net", inputs=inputs)["argv"][-1], "i64[2]<4,bf16[]")
        named = {"tokens": inputs[0], "mask": torch.zeros(2, dtype=torch.bool)}
        self.assertEqual(cupel.lint("pkg:Net", inputs=named)["argv"][-1],
                         "tokens=i64[2]<4,mask=bool[2]")

    def test_what_no_task_can_be_made_of(self):
        import torch

        class Local(torch.nn.Module):
            pass

        for task, inputs, word in ((Local, torch.zeros(2), "task file"),
                                   (torch.nn.ReLU, None, "inputs="),
                                   (torch.nn.ReLU, ["x"], "get_inputs")):
            with self.assertRaises(cupel.CupelError) as caught:
                cupel.lint(task, inputs=inputs)
            self.assertIn(word, caught.exception.hint)

    def test_an_instance_is_captured(self):
        import torch
        self.binary_that("print(json.dumps({'argv': sys.argv[1:]}))")
        norm = torch.nn.LayerNorm(4).eval()
        with torch.no_grad():
            norm.weight.fill_(3)
        with tempfile.TemporaryDirectory() as runs, \
                mock.patch.dict(os.environ, CUPEL_RUNS=runs):
            for inputs in (torch.randn(2, 4), (torch.randn(2, 4),), {"input": torch.randn(2, 4)}):
                task = cupel.lint(norm, inputs=inputs)["argv"][1]
                self.assertTrue(task.startswith(path.join(runs, "tasks", "LayerNorm-")), task)
                with open(task, encoding="utf-8") as file:
                    self.assertIn("get_state", file.read())
            for inputs, word in ((None, "inputs="), ((), "arguments of one call"),
                                 ({"x": 1}, "arguments of one call")):
                with self.assertRaises(cupel.CupelError) as caught:
                    cupel.lint(norm, inputs=inputs)
                self.assertIn(word, caught.exception.hint)
        with self.assertRaises(cupel.CupelError):
            cupel.lint(3, inputs=(1,))

    def test_nothing_is_a_success_on_a_degenerate_task(self):
        reasons = {"sound": [{"code": "faster", "text": "", "value": 2, "limit": 1}]}
        reasons["degenerate"] = [*reasons["sound"],
                                 {"code": "degenerate_task", "text": "zeros pass", "value": 1}]
        told = {(kind, outcome): Verdict({"headline": "", "verdict": {
                    "outcome": outcome, "reasons": reasons[kind]}})
                for kind in reasons for outcome in ("faster", "same", "wrong", "degenerate")}
        self.assertEqual([key for key, verdict in told.items() if verdict.faster],
                         [("sound", "faster")])
        self.assertEqual([key for key, verdict in told.items() if verdict.correct],
                         [("sound", "faster"), ("sound", "same")])
        self.assertEqual([key for key, verdict in told.items() if not verdict.degenerate],
                         [("sound", "faster"), ("sound", "same"), ("sound", "wrong")])

    def test_tables_call_nothing_faster_on_a_degenerate_task(self):
        verdict = {"outcome": "faster", "ratios": [], "error_max": 0,
                   "reasons": [{"code": "degenerate_task", "text": "zeros pass"}]}
        row = {"role": "winner", "kind": "written", "label": "a.py", "candidate_id": "a",
               "verdict": verdict}
        run = Run({"directory": "d", "run_id": "r", "winner_id": "", "degenerate": ["zeros pass"],
                   "table": [row], "candidates": [row]})
        self.assertFalse(run.sound)
        self.assertIn("degenerate task", repr(run))
        for table in (run.table(), run.candidates()):
            rows = table if isinstance(table, list) else table.to_dict("records")
            self.assertEqual([each["outcome"] for each in rows], ["degenerate"])

    def test_importing_does_not_import_torch(self):
        said = subprocess.run([sys.executable, "-c", "import sys, cupel; print('torch' in "
                               "sys.modules, 'cupel.api' in sys.modules)"],
                              capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": path.dirname(
                                  path.dirname(cupel.__file__))}).stdout
        self.assertEqual(said.strip(), "False False")


# What it returns is its last weight. The candidate does nothing else.
DEGENERATE = """
import torch


class {name}(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(512, 512)
        self.bias = torch.nn.Parameter(torch.linspace(1, 2, 512))

    def forward(self, x):
        return {returned}


def get_inputs():
    return [torch.randn(256, 512)]
"""


@unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
class RealJudgement(unittest.TestCase):
    def test_a_program_that_is_right_on_a_degenerate_task_is_no_success(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        files = []
        for name, returned in (("Model", "self.layer(x) * 0 + self.bias"),
                               ("ModelNew", "self.bias.expand(256, 512).contiguous()")):
            files.append(path.join(folder.name, f"{name.lower()}.py"))
            with open(files[-1], "w", encoding="utf-8") as file:
                file.write(DEGENERATE.format(name=name, returned=returned))
        with mock.patch.dict(os.environ, CUPEL_BINARY=str(BINARY), CUPEL_HOME=str(ROOT)):
            verdict = cupel.judge(*files, threads=1)
        # A busy machine may say no more than that it is right.
        self.assertIn(verdict.outcome, ("faster", "same", "slower", "ambiguous"), verdict)
        self.assertTrue(verdict.degenerate)
        self.assertTrue(verdict["degenerate"])
        self.assertTrue(verdict.headline.startswith("degenerate task, "), verdict.headline)
        self.assertFalse(verdict.faster)
        self.assertFalse(verdict.correct)


if __name__ == "__main__":
    unittest.main()
