"""A whole model with winners in place of its modules: the same outputs, state and names."""

import contextlib
import importlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

import captured_package
import shipping_order
import torch
from built import BINARY, ROOT
from cupel import loading, protocol
from cupel.whole_model.__main__ import Failed, Work
from cupel.whole_model.amdahl import (applied_row, expected, judged_rows, parts_text,
                                      whole_text)
from cupel.whole_model.applied import applied
from cupel.whole_model.composing import NotPlaceable, composed, give_text, same_text, take_text


class Texts(unittest.TestCase):
    def test_tensors_are_found_where_they_came_from(self):
        call = "x, 3, [a, {'k': b}], mask=m, both=Pair(left=c, right=None)"
        self.assertEqual(take_text(call, ["x", "a", "b", "m", "c"]),
                         ["args[0]", "args[2][0]", "args[2][1]['k']", 'kwargs["mask"]',
                          'kwargs["both"].left'])
        with self.assertRaises(NotPlaceable):
            take_text("x", ["y"])

    def test_one_tensor_in_two_places_must_stay_one(self):
        self.assertEqual(take_text("x, skip=x", ["x"]), ["args[0]"])
        self.assertEqual(same_text("x, skip=x"), 'kwargs["skip"] is args[0]')
        self.assertEqual(same_text("x, y"), "True")

    def test_outputs_are_made_again(self):
        self.assertEqual(give_text({"output": "out", "returns": ""}), "out")
        self.assertEqual(give_text({"output": "{'a': out.a, 'b': out['b']}",
                                    "returns": "pkg.mod:Out"}), "Out(**out)")
        with self.assertRaises(NotPlaceable):
            give_text({"output": "{'a': {'b': out.a.b}}", "returns": "pkg:Out"})

    def test_amdahl(self):
        rows = [{"module": "a", "count": 4, "share": 0.5, "ratio": 2.0, "label": "fast"},
                {"module": "b", "count": 1, "share": 0.25, "ratio": 5.0, "label": "faster"}]
        self.assertAlmostEqual(expected(rows), 1 / (0.25 + 0.25 + 0.05))
        self.assertEqual(expected([]), 1.0)
        text = parts_text(rows)
        for part in ("50.0%", "2.00x", "1.33x", "1.82x", "25.0%"):
            self.assertIn(part, text)


class Judged(unittest.TestCase):
    def row(self, role, label, ratio, other=None):
        def ratios(value):
            return [{"ratio": value, "low": value - 0.1, "high": value + 0.1,
                     "candidate_ms": 6 / value, "over_ms": 6.0}] if value else []
        return {"role": role, "label": label,
                "verdict": {"outcome": "faster" if ratio else "wrong", "ratios": ratios(ratio),
                            "other_ratios": ratios(other)}}

    def result(self, metric="latency"):
        return {"options": {"metric": metric},
                "table": [self.row("eager", "eager", None),
                          self.row("torch.compile", "torch.compile", 2),
                          self.row("winner", "rewritten", 3, 4)],
                "candidates": [self.row("", "out/model_new.py", None)]}

    def test_programs_for_the_whole_model(self):
        rows = judged_rows(self.result(), "model_new.py")
        self.assertEqual([(row["what"], row["outcome"]) for row in rows], [
            ("eager", "same"), ("the modules' winners in place", "wrong"),
            ("torch.compile of the whole", "faster"), ("the winner of the whole", "faster")])
        self.assertEqual(rows[3]["latency"], {"ratio": 3, "low": 2.9, "high": 3.1, "ms": 2.0})
        self.assertEqual(rows[3]["throughput"]["ms"], 1.5)
        self.assertEqual([rows[0][name]["ms"] for name in ("latency", "throughput")], [6.0, 6.0])
        self.assertIsNone(rows[2]["throughput"])
        self.assertEqual(len(judged_rows(self.result(), None)), 3)

    def test_the_metric_that_decided_is_the_one_that_is_named(self):
        rows = judged_rows(self.result("throughput"), None)
        self.assertEqual((rows[2]["throughput"]["ratio"], rows[2]["latency"]["ratio"]), (3, 4))

    def test_the_package_as_it_is_applied_has_a_row_of_its_own(self):
        verdict = {**self.row("", "applied.py", 1.5, 2)["verdict"], "metric": "throughput"}
        row = applied_row(verdict, "fast_server")
        self.assertEqual((row["what"], row["label"]), ("the package, applied", "fast_server"))
        self.assertEqual((row["throughput"]["ratio"], row["latency"]["ratio"]), (1.5, 2))

    def test_the_table(self):
        lines = whole_text(judged_rows(self.result(), "model_new.py")).splitlines()
        self.assertRegex(lines[1], r"^eager +6\.000 ms +1 +6\.000 ms +1 +eager$")
        self.assertRegex(lines[2], r"^the modules' winners in place +wrong +out/model_new\.py$")
        self.assertRegex(lines[4],
                         r" 2\.000 ms +3\.00x 2\.90-3\.10 +1\.500 ms +4\.00x 3\.90-4\.10 ")


class GoingOn(unittest.TestCase):
    def work(self, script):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        tasks = pathlib.Path(directory.name, "tasks")
        tasks.mkdir()
        (tasks / "capture.json").write_text(json.dumps(
            {"origin": "serve.py", "modules": [{"module": "block"}]}), encoding="utf-8")
        return Work(types.SimpleNamespace(out=tasks.parent, script=script))

    def test_with_what_was_captured(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(self.work("net/serve.py")._capture(), [{"module": "block"}])
        self.assertIn("captured before", said.getvalue())

    def test_not_with_another_scripts(self):
        with contextlib.redirect_stdout(io.StringIO()), \
                self.assertRaisesRegex(Failed, "has tasks of serve.py: name another --out"):
            self.work("train.py")._capture()


class Shipping(unittest.TestCase):
    """With the real binary, where it is built."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.work = Work(types.SimpleNamespace(out=pathlib.Path(directory.name)))
        self.row = {"task": {"name": "server"}}

    def test_what_was_shipped_before_is_not_shipped_again(self):
        package = self.work._out / "fast_server"
        (package / "tests").mkdir(parents=True)
        (package / "tests/test_fast_server.py").touch()
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(self.work._ship(["nosuchrun"], self.row), package)
        self.assertIn("shipped before", said.getvalue())
        self.assertIn("import fast_server; fast_server.apply(model)",
                      self.work._next(["nosuchrun"], package))

    @unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
    def test_a_package_that_was_cut_off_is_made_anew(self):
        package = self.work._out / "fast_server"
        package.mkdir()
        (package / "half.py").touch()
        with contextlib.redirect_stdout(io.StringIO()), \
                mock.patch.dict(os.environ, CUPEL_BINARY=str(BINARY), CUPEL_HOME=str(ROOT)):
            self.assertIsNone(self.work._ship(["nosuchrun"], self.row))
        self.assertFalse(package.exists())

    @unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
    def test_what_cannot_be_shipped_is_named(self):
        with contextlib.redirect_stdout(io.StringIO()), \
                mock.patch.dict(os.environ, CUPEL_BINARY=str(BINARY), CUPEL_HOME=str(ROOT)):
            self.assertIsNone(self.work._ship(["nosuchrun"], self.row))
        self.assertEqual(self.work._next(["nosuchrun"], None), "Next: cupel ship nosuchrun")


class Composed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        captured_package.write(cls.directory)
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"), OMP_NUM_THREADS="1")
        subprocess.run([sys.executable, "-m", "cupel.capture", "--whole", "--grain", "8",
                        "--share-min", "0", "serve.py"], cwd=cls.directory, env=environment,
                       check=True, capture_output=True, timeout=300)
        cls.rows = json.loads((cls.directory / "tasks" / "capture.json").read_text(
            encoding="utf-8"))["modules"]

    def candidate_of(self, change):
        """The composed text, with `change` made of each block's source."""
        whole = next(row for row in self.rows if row["whole"])
        block = next(row for row in self.rows if row["class"] == "tiny.model:Block")
        text = (self.directory / "tasks" / "block.py").read_text(encoding="utf-8")
        source = text[:text.index("def get_inputs")].replace("class Model(", "class ModelNew(")
        paths = [path.removeprefix(whole["paths"][0] + ".") for path in block["paths"]]
        root = (self.directory / "tasks" / "server.py").read_text(encoding="utf-8")
        return composed(root, [(block["task"], paths, change(source))])

    def outputs(self, text):
        """(the task's, the candidate's) with the captured weights, on one input."""
        program = loading.load({"kind": "file",
                                "path": str(self.directory / "tasks" / "server.py")})
        reference, inputs = program.construct(1), program.make_inputs()
        module = types.ModuleType("candidate")
        sys.modules["candidate"] = module
        self.addCleanup(sys.modules.pop, "candidate")
        exec(compile(text, "candidate.py", "exec"), module.__dict__)
        made = module.ModelNew()
        made.load_state_dict(reference.state_dict())
        made.prepare()
        with torch.no_grad():
            return [protocol.flatten(model(*inputs))[1] for model in (reference, made)]

    def test_equal_winners_change_nothing(self):
        want, got = self.outputs(self.candidate_of(lambda source: source))
        self.assertTrue(all(map(torch.equal, want, got)))

    def test_a_package_is_applied_as_a_user_applies_it(self):
        tasks, out = self.directory / "tasks", self.directory / "shipped"
        source = (tasks / "block.py").read_text(encoding="utf-8")
        winner = source[:source.index("def get_inputs")].replace("class Model(", "class ModelNew(")
        run = shipping_order.run_of("block", source, winner)
        run["task"]["path"], run["facts"] = str(tasks / "block.py"), {"inputs": []}
        status, answer = shipping_order.ship(out, "fast_server", [run])
        self.assertEqual(status, 0, answer)
        text = applied((tasks / "server.py").read_text(encoding="utf-8"), "fast_server", out)
        (self.directory / "applied_server.py").write_text(text, encoding="utf-8")
        sys.path.insert(0, str(self.directory))
        self.addCleanup(sys.path.remove, str(self.directory))
        program = loading.load({"kind": "file", "path": str(tasks / "server.py")})
        reference, inputs = program.construct(1), program.make_inputs()
        made = importlib.import_module("applied_server").ModelNew()
        self.assertEqual(list(made.state_dict()), list(reference.state_dict()))
        made.load_state_dict(reference.state_dict())
        made.prepare()
        self.assertEqual(sys.modules["fast_server"].replaced(made.users[0]),
                         [f"encoder.layers.{i}" for i in range(3)])
        with torch.no_grad():
            want, got = (protocol.flatten(model(*inputs))[1] for model in (reference, made))
        for one, other in zip(want, got, strict=True):
            torch.testing.assert_close(one, other)
        block = vars(made.users[0].encoder.layers[0])["_cupel_attachment"]
        self.assertEqual(len(block.calls), 1, block.refusal)  # the winner answered

    def test_what_a_task_imports_from_the_future_comes_first(self):
        text = (self.directory / "tasks" / "server.py").read_text(encoding="utf-8")
        end = text.index('"""', 3) + 3
        later = text[:end] + "\n\nfrom __future__ import annotations" + text[end:]
        for made in (composed(later, []), applied(later, "tiny", self.directory)):
            compile(made, "candidate.py", "exec")

    def test_winners_are_really_in_place(self):
        want, got = self.outputs(self.candidate_of(
            lambda source: source.replace("hidden + self.out(mixed)", "hidden")))
        self.assertFalse(all(map(torch.equal, want, got)))


if __name__ == "__main__":
    unittest.main()
