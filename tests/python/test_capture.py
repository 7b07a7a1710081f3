"""Tasks from a user's own model: what is chosen, written and refused, and that nothing is left."""

import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

import captured_package
import cupel
import torch
from built import BINARY, ROOT
from cupel import loading, protocol
from cupel.capture import watch
from torch import nn

INPUT_ERROR = 4
SHAPE_LONG, SHAPE_SHORT = (2, 16, 32), (2, 8, 32)


class Cached(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.register_buffer("seen", torch.zeros(width))
        self.inner = nn.Linear(width, width)

    def forward(self, x):
        self.seen += x.mean(0)
        return self.inner(x) + self.seen


class Scaled(nn.Module):
    """Keeps its arguments under their own names."""

    def __init__(self, width, factor=2.0):
        super().__init__()
        self.width, self.factor = width, factor
        self.inner = nn.Linear(width, width)

    def forward(self, x, y):
        return self.inner(x) * self.factor + y


class Opaque(nn.Module):
    """Keeps nothing of its arguments, but for what it was told to compute."""

    def __init__(self, sizes):
        super().__init__()
        self.inner = nn.Sequential(*[nn.Linear(*pair) for pair in zip(sizes, sizes[1:])])

    def forward(self, x):
        return self.inner(x)


# As somebody types it into an interpreter.
TYPED_IN = """
import torch
class TypedIn(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(8, 8)
    def forward(self, x):
        return self.inner(x)
"""


class Asked(nn.Module):
    def forward(self, x, how=None):
        return x * 2


class Pair(nn.Module):
    def __init__(self, one, other):
        super().__init__()
        self.one, self.other = one, other

    def forward(self, x):
        return self.one(x) + self.other(x)


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.out = self.directory / "tasks"

    def capture(self, model, *calls, **options):
        """Captures these calls, each a list of arguments; returns the Capture."""
        options = {"share_min": 0.0, **options}  # of one call anything may be
        with cupel.capture(model, self.out, **options) as captured, torch.no_grad():
            for call in calls:
                model(*call)
        return captured

    def load(self, name):
        return loading.load({"kind": "file", "path": str(self.out / f"{name}.py")})

    def row(self, captured, module):
        return next(row for row in captured.rows if row["module"] == module)

    def assert_task_computes(self, name, module, *inputs):
        with torch.no_grad():
            task = self.load(name).construct(3)
            got, want = (protocol.flatten(model(*inputs))[1] for model in (task, module))
        self.assertTrue(all(map(torch.equal, got, want)))


class Transformer(Case):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.kept.cleanup)
        captured_package.write(cls.kept.name)
        sys.path.insert(0, cls.kept.name)
        cls.addClassCleanup(sys.path.remove, cls.kept.name)
        cls.model_module = importlib.import_module("tiny.model")
        cls.addClassCleanup(lambda: [sys.modules.pop(name) for name in list(sys.modules)
                                     if name.split(".")[0] == "tiny"])

    def run_encoder(self, **options):
        torch.manual_seed(1)
        with cupel.capture(None, self.out, grain=8, share_min=0.0, **options) as captured, \
                torch.no_grad():
            model = self.model_module.Encoder().eval()
            for turn in range(8):
                length = 16 if turn % 4 else 8
                model(torch.randint(0, 50, (2, length)),
                      torch.arange(length) < torch.tensor([[length], [5]]))
        return captured, model

    def test_equal_layers_are_one_task(self):
        captured, model = self.run_encoder()
        row = self.row(captured, "Encoder.layers.*")
        self.assertEqual((row["count"], row["calls"]), (3, 24))
        self.assertEqual(row["task"]["made_by"], "its constructor's arguments")
        self.assertEqual(row["paths"], [f"Encoder.layers.{i}" for i in range(3)])
        shapes = [(one["arguments"]["hidden"], one["calls"]) for one in row["shapes"]]
        self.assertCountEqual(shapes, [(list(SHAPE_LONG), 18), (list(SHAPE_SHORT), 6)])
        self.assertIn(row["task"]["returns"], ("tiny.model:BlockOutput",))
        self.assertIn("3", captured.table())
        manifest = json.loads((self.out / "capture.json").read_text(encoding="utf-8"))
        self.assertEqual(manifest["modules"], json.loads(json.dumps(captured.rows)))

    def test_the_task_stands_alone(self):
        _, model = self.run_encoder()
        text = (self.out / "block.py").read_text(encoding="utf-8")
        self.assertNotIn("tiny.", text.split('"""')[2])
        program = self.load("block")
        hidden, mask, cos, sin = program.make_inputs()
        self.assertIn(hidden.shape, (SHAPE_LONG, SHAPE_SHORT))
        self.assertEqual(mask.dtype, torch.bool)
        block = model.layers[0]
        with torch.no_grad():
            got = program.construct(7)(hidden, mask, cos, sin)
            want = block(hidden, mask=mask, rotary=(cos, sin))
        self.assertEqual(list(got), ["hidden", "weights"])
        self.assertTrue(torch.equal(got["hidden"], want.hidden))
        self.assertTrue(torch.equal(got["weights"], want.weights))

    def test_state_and_calls_are_those_of_the_model(self):
        _, model = self.run_encoder()
        program = self.load("block")
        state = program.get_state()
        self.assertTrue(all(torch.equal(state[name], weight)
                            for name, weight in model.layers[0].state_dict().items()))
        calls = program.captured_inputs()
        self.assertGreaterEqual(len(calls), 2)
        shape = program.make_inputs()[0].shape  # the one that took more time
        self.assertTrue(all(call[0].shape == shape for call in calls))
        settings = (self.out / "block.toml").read_text(encoding="utf-8")
        self.assertIn('held_out = ["SHAPE = 1"]', settings)
        other = program.source + "\nSHAPE = 1\n"
        held_out = loading.load({"kind": "file", "path": program.path, "source": other})
        self.assertCountEqual([shape, held_out.make_inputs()[0].shape], [SHAPE_LONG, SHAPE_SHORT])
        self.assertNotEqual(held_out.captured_inputs()[0][0].shape, shape)

    def test_what_shares_weights_is_told(self):
        captured, _ = self.run_encoder(modules=["Encoder.head"])
        row = self.row(captured, "Encoder.head")
        self.assertIn("shares weight with Encoder.embed.weight", " ".join(row["notes"]))
        self.assertEqual(row["task"]["name"], "linear")

    def test_the_whole_model_is_one_task_where_it_is_small_enough(self):
        model = self.model_module.Encoder(layers=1).eval()
        mask = torch.ones(2, 6, dtype=torch.bool)
        ids = torch.randint(0, 50, (2, 6))
        captured = self.capture(model, (ids, mask))
        self.assertEqual([row["module"] for row in captured.rows], ["(the model)"])
        self.assert_task_computes("encoder", model, ids, mask)


class Construction(Case):
    def test_from_attributes(self):
        model = Scaled(8, factor=0.5).eval()
        captured = self.capture(model, (torch.randn(3, 8), torch.randn(3, 8)))
        self.assertEqual(captured.rows[0]["task"]["made_by"], "its attributes")
        self.assert_task_computes("scaled", model, torch.randn(3, 8), torch.randn(3, 8))

    def test_what_was_cast_stays_cast(self):
        model = Scaled(8).eval().to(torch.bfloat16)
        x = torch.randn(3, 8, dtype=torch.bfloat16)
        captured = self.capture(model, (x, x.clone()))
        self.assertEqual(captured.rows[0]["task"]["made_by"], "its attributes")
        self.assertIn("self.to(torch.bfloat16)", self.load("scaled").source)
        self.assert_task_computes("scaled", model, x, x)

    def test_autocast_is_part_of_the_task(self):
        model, x = Scaled(8).eval(), torch.randn(3, 8)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            self.capture(model, (x, x.clone()))
        self.assertIn('with torch.autocast("cpu", dtype=torch.bfloat16):',
                      self.load("scaled").source)
        with torch.no_grad():
            got = self.load("scaled").construct(1)(x, x)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                self.assertTrue(torch.equal(got, model(x, x)))

    def test_from_the_pickled_object(self):
        model = nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4), nn.GELU()).eval()
        captured = self.capture(model, (torch.randn(3, 8),))
        self.assertIn("pickled", captured.rows[0]["task"]["made_by"])
        self.assert_task_computes("sequential", model, torch.randn(3, 8))

    def test_one_tensor_given_twice_is_one_input(self):
        model, x = Scaled(8).eval(), torch.randn(3, 8)
        captured = self.capture(model, (x, x))
        self.assertEqual(captured.rows[0]["task"]["call"], "x, x")
        self.assertEqual(len(self.load("scaled").make_inputs()), 1)

    def test_of_user_classes_too(self):
        model = Opaque([8, 6, 4]).eval()
        captured = self.capture(model, (torch.randn(3, 8),))
        self.assertIn("pickled", captured.rows[0]["task"]["made_by"])
        self.assert_task_computes("opaque", model, torch.randn(3, 8))
        self.assertIn("class Opaque(nn.Module):", self.load("opaque").source)

    def test_seen_constructors_may_take_modules(self):
        with cupel.capture(None, self.out), torch.no_grad():
            model = Pair(nn.Linear(8, 8, bias=False), Scaled(8).inner).eval()
            model(torch.randn(2, 8))
        text = (self.out / "pair.py").read_text(encoding="utf-8")
        self.assertIn("super().__init__(torch.nn.Linear(8, 8, False), torch.nn.Linear(8, 8))",
                      text)


class Refusals(Case):
    def refusal(self, model, *calls, **options):
        captured = self.capture(model, *calls, **options)
        self.assertIsNone(captured.rows[0]["task"])
        return captured.rows[0]["refusal"]

    def test_state_that_calls_change(self):
        x = torch.randn(3, 8)
        model = Cached().eval()
        captured = self.capture(model, (x,), (x,), (x,))
        row = self.row(captured, "(the model)")
        self.assertIn("changes Cached.seen at each call", row["refusal"])
        self.assertEqual(self.row(captured, "inner")["task"]["name"], "linear")

    def test_hooks(self):
        model = Scaled(8).eval()
        model.inner.register_forward_hook(lambda module, args, out: out + 1)
        x = torch.randn(3, 8)
        self.assertIn("forward hooks (inner)", self.refusal(model, (x, x)))
        self.assertEqual(len(model.inner._forward_hooks), 1)

    def test_arguments_that_no_text_can_hold(self):
        self.assertIn("its argument how is or holds a builtins.object",
                      self.refusal(Asked(), (torch.randn(3), object())))

    def test_parallel_wrappers_are_looked_into(self):
        model = nn.DataParallel(Scaled(8)).eval()
        x = torch.randn(3, 8)
        captured = self.capture(model, (x, x))
        self.assertIn("what it wraps", self.row(captured, "(the model)")["refusal"])
        self.assertEqual(self.row(captured, "module")["task"]["name"], "scaled")

    def test_classes_within_functions(self):
        class Hidden(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.Linear(8, 8)

            def forward(self, x):
                return self.inner(x)

        self.assertIn("at the top of a file", self.refusal(Hidden().eval(), (torch.randn(3, 8),)))

    def test_a_class_whose_source_cannot_be_found(self):
        module = types.ModuleType("typed_in")
        sys.modules["typed_in"] = module
        self.addCleanup(sys.modules.pop, "typed_in")
        exec(compile(TYPED_IN, "<stdin>", "exec"), module.__dict__)
        model, x = module.TypedIn().eval(), torch.randn(3, 8)
        want = model(x)
        refusal = self.refusal(model, (x,))
        self.assertIn("typed_in, whose source cannot be found; put it into a file", refusal)
        self.assertTrue(torch.equal(model(x), want))
        self.assertEqual(model._forward_hooks, {})

    def test_inputs_too_large(self):
        before = watch.SAMPLE_BYTES_MAX
        self.addCleanup(setattr, watch, "SAMPLE_BYTES_MAX", before)
        watch.SAMPLE_BYTES_MAX = 1 << 20
        self.assertIn("smaller batch", self.refusal(Asked(), (torch.randn(1 << 19),)))

    def test_what_was_changed_after_it_was_made(self):
        model = Scaled(8).eval()
        model.forward = lambda x, y: x - y
        x = torch.randn(3, 8)
        self.assertIn("no copy of it can be made", self.refusal(model, (x, x)))

    def test_training_is_told(self):
        model, x = Scaled(8), torch.randn(3, 8)
        self.assertIn("training mode", captured_notes(self.capture(model, (x, x))))

    def test_what_is_no_model(self):
        with self.assertRaisesRegex(TypeError, "no torch.nn.Module"):
            cupel.capture([1], self.out)
        with self.assertRaisesRegex(ValueError, "no module was called"):
            self.capture(Asked())
        with self.assertRaisesRegex(ValueError, "none of nix was called"):
            self.capture(Asked(), (torch.randn(2),), modules="nix")


def captured_notes(captured):
    return " ".join(note for row in captured.rows for note in row["notes"])


class Undone(Case):
    def setUp(self):
        super().setUp()
        self.before = nn.Module.__call__, nn.Module.__init__

    def assert_undone(self):
        self.assertEqual((nn.Module.__call__, nn.Module.__init__), self.before)

    def test_at_the_end(self):
        model, x = Scaled(8).eval(), torch.randn(3, 8)
        state = {name: weight.clone() for name, weight in model.state_dict().items()}
        self.capture(model, (x, x))
        self.assert_undone()
        self.assertTrue(all(torch.equal(state[name], weight)
                            for name, weight in model.state_dict().items()))
        self.assertFalse(model._forward_hooks or model._forward_pre_hooks)
        self.assertNotIn(loading.TASK_MODULE, sys.modules)

    def test_when_the_code_raises(self):
        with self.assertRaises(ZeroDivisionError):
            with cupel.capture(Asked(), self.out):
                raise ZeroDivisionError
        self.assert_undone()
        self.assertFalse(self.out.exists())

    def test_when_the_model_raises(self):
        model = Scaled(8).eval()
        with self.assertRaises(RuntimeError):
            self.capture(model, (torch.randn(3, 9), torch.randn(3, 9)))
        self.assert_undone()

    def test_random_numbers_go_on_as_without(self):
        model, x = Scaled(8).eval(), torch.randn(3, 8)
        torch.manual_seed(4)
        want = torch.rand(3)
        torch.manual_seed(4)
        self.capture(model, (x, x))
        self.assertTrue(torch.equal(torch.rand(3), want))


@unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
class CommandLine(Case):
    """The script is a process of its own; its class and functions are copied from it."""

    def cupel(self, *arguments):
        environment = dict(os.environ, CUPEL_HOME=str(ROOT))
        return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.directory, env=environment, timeout=300, check=False)

    def test_a_script_is_captured_and_its_task_judged(self):
        captured_package.write(self.directory)
        done = self.cupel("capture", "--grain", "8", "--share-min", "0", "serve.py", "--fast", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("served with ['--fast', '3']", done.stdout)
        self.assertIn("Server.encoder.layers.*", done.stdout)
        self.assertIn("Next: cupel optimize tasks/", done.stdout.splitlines()[-1])
        self.assertEqual(self.cupel("lint", "tasks/block.py").returncode, 0)
        gate = (self.out / "gate.py").read_text(encoding="utf-8")
        self.assertIn("SCALE = 0.5", gate)
        self.assertNotIn("Server(", gate)
        candidate = self.directory / "candidate.py"
        text = gate[:gate.index("def get_inputs")].replace("class Model(", "class ModelNew(")
        candidate.write_text(text, encoding="utf-8")
        judged = self.cupel("judge", "tasks/gate.py", candidate, "--json")
        self.assertIn(json.loads(judged.stdout)["verdict"]["outcome"],
                      ("faster", "same", "slower", "ambiguous"), judged.stdout)
        candidate.write_text(text.replace("* x", "* x.abs()"), encoding="utf-8")
        judged = self.cupel("judge", "tasks/gate.py", candidate, "--json")
        self.assertEqual(json.loads(judged.stdout)["verdict"]["outcome"], "wrong", judged.stdout)

    def test_a_step_of_another_command_does_not_say_what_comes_next(self):
        captured_package.write(self.directory)
        done = self.cupel("capture", "--as-step", "--share-min", "0", "serve.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("in tasks", done.stdout)
        self.assertNotIn("Next:", done.stdout)

    def test_a_script_that_fails_leaves_nothing(self):
        (self.directory / "fails.py").write_text("import torch\n1 / 0\n", encoding="utf-8")
        done = self.cupel("capture", "fails.py")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ZeroDivisionError", done.stderr)
        self.assertNotIn("capture/__main__.py", done.stderr)
        self.assertFalse(self.out.exists())

    def test_bad_command_lines(self):
        (self.directory / "idle.py").write_text("pass\n", encoding="utf-8")
        for arguments, said in ((("nix.py",), "no such file"), (("idle.py",), "no module was"),
                                (("-m", "nix.nix"), "no module nix")):
            done = self.cupel("capture", *arguments)
            self.assertEqual((done.returncode, done.stdout), (INPUT_ERROR, ""), done.stderr)
            self.assertIn(said, done.stderr)
            self.assertTrue(done.stderr.startswith("cupel: "), done.stderr)


if __name__ == "__main__":
    unittest.main()
