"""A shipped package in a user's process: what it replaces and leaves alone, who answers a call.

One package of four winners is made for all tests: a C++ kernel on two shapes, a program that
derives weights in prepare(), one that torch.compile makes, and one of a captured class. Its own
tests, which run as it is made, prove equality on fresh inputs, other batches, strides and threads,
gradients, torch.compile, torch.export, state dicts.
"""

import compileall
import copy
import importlib
import importlib.util
import inspect
import json
import pathlib
import pickle
import subprocess
import sys
import tempfile
import textwrap
import types
import unittest
from unittest import mock

import torch

import shipping_order
from shipping_order import CAPTURED, CAPTURED_WINNER, DENSE, DENSE_WINNER, USERS

COMPILED = '''
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.tanh(x) * torch.sigmoid(x)

def get_inputs():
    return [torch.randn(8, 32)]
'''
CAPTURED_RUN = 3
COMPILED_WINNER = '''
import torch

class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.run = torch.compile(lambda x: torch.tanh(x) * torch.sigmoid(x))

    def forward(self, x):
        return self.run(x)
'''


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.at = pathlib.Path(directory.name)
        cls.runs = [shipping_order.run_of("mish_gate", *shipping_order.shipped_task("mish_gate")),
                    shipping_order.run_of("dense", DENSE, DENSE_WINNER),
                    shipping_order.run_of("gates", COMPILED, COMPILED_WINNER),
                    shipping_order.run_of("gate", CAPTURED, CAPTURED_WINNER)]
        task, winner = shipping_order.shipped_task("mish_gate")
        cls.runs.append(shipping_order.run_of("mish_gate_64", task.replace("512", "64"), winner))
        status, cls.answer = shipping_order.ship(cls.at / "out", "shipped_here", cls.runs)
        if status != 0:
            raise AssertionError(cls.answer)
        sys.path.insert(0, str(cls.at / "out"))
        cls.addClassCleanup(sys.path.remove, str(cls.at / "out"))
        cls.package = importlib.import_module("shipped_here")

    def user_module(self, index):
        """The class as a user's own file holds it."""
        path = self.at / f"users_{index}.py"
        text = USERS if index == CAPTURED_RUN else self.runs[index]["task"]["source"]
        path.write_text(text, encoding="utf-8")
        sys.path.insert(0, str(self.at))
        self.addCleanup(sys.path.remove, str(self.at))
        return importlib.import_module(f"users_{index}")

    def apply(self, model, **options):
        return self.package.apply(model, quiet=True, **options)

    def test_it_was_proved(self):
        self.assertRegex(self.answer["proved"], r"Ran \d+ tests")
        kernels = [path.suffix for path in (self.at / "out/shipped_here/kernels").iterdir()]
        self.assertEqual(sorted(kernels), [".cpp", ".so"])
        self.assertEqual([entry["operator"] for entry in self.answer["entries"]],
                         [True, True, False, True, True])

    def test_one_winner_answers_on_two_shapes(self):
        self.assertEqual(len(list((self.at / "out/shipped_here/winners").glob("*.py"))), 4)
        users = self.user_module(0)
        model = users.Model(users.CHANNELS)
        self.assertEqual(len(self.apply(model).modules), 1)
        answers = {512: "the winner", 64: "the winner", 65: "the original"}
        with torch.no_grad():
            for rows, who in answers.items():
                inputs = [torch.randn(rows, users.CHANNELS) for _ in range(2)]
                self.assertIn(who, self.package.why(model, *inputs))
                torch.testing.assert_close(model(*inputs), type(model).forward(model, *inputs),
                                           rtol=1e-4, atol=1e-4)
        self.assertEqual(len(vars(model)["_cupel_attachment"].held), 1)

    def test_modules_inside_a_users_model(self):
        users = self.user_module(1)
        net = torch.nn.Sequential(torch.nn.Linear(16, 16), users.Model(16), torch.nn.Identity())
        x = torch.randn(6, 16)
        with torch.no_grad():
            want = net(x)["y"]
            done = self.apply(net)
            self.assertEqual(list(done.modules), ["1"])
            self.assertEqual(self.package.replaced(net), ["1"])
            self.assertIn("the winner answers", self.package.why(net[1], x))
            torch.testing.assert_close(net(x)["y"], want)
            self.assertIn("the winner answers", self.package.why(net[1], x=x, scale=1.0))
            self.assertIn("the original answers", self.package.why(net[1], x, 2.0))
            torch.testing.assert_close(net[1](net[0](x), scale=2.0)["y"], 2 * want)
        self.assertEqual(self.package.restore(net), 1)
        self.assertEqual(self.package.replaced(net), [])

    def test_a_captured_class_is_called_as_the_user_calls_it(self):
        users = self.user_module(CAPTURED_RUN)
        net = torch.nn.ModuleDict({"gate": users.Gate(24), "other": users.Gate(8)})
        gate, hidden, mask = net["gate"], torch.randn(5, 24), torch.rand(5, 1)
        with torch.no_grad():
            want = gate(hidden, mask, power=3)
            done = self.apply(net)
            self.assertEqual(list(done.modules), ["gate"])
            self.assertIn("weight", done.left["other"])
            for answer in (gate(hidden, mask, power=3), gate(power=3, mask=mask, hidden=hidden)):
                self.assertIs(type(answer), users.Answer)
                torch.testing.assert_close(answer.hidden, want.hidden)
                self.assertEqual(answer.note, "plain")
            self.assertIn("the winner", self.package.why(gate, hidden, mask, power=3))
            self.assertIn("the original", self.package.why(gate, hidden, mask))
            self.assertIn("the original", self.package.why(gate, hidden, power=3))
            compiled = torch.compile(gate, fullgraph=True)
            torch.testing.assert_close(compiled(hidden, mask, power=3).hidden, want.hidden)

    def test_a_class_that_reads_differently_is_left_alone(self):
        path = self.at / "users_changed.py"
        path.write_text(USERS.replace("** power", "** (power + 1)"), encoding="utf-8")
        sys.path.insert(0, str(self.at))
        self.addCleanup(sys.path.remove, str(self.at))
        done = self.apply(importlib.import_module("users_changed").Gate(24))
        self.assertIn("Gate does not read as it did", done.left[""])

    def test_weights_of_the_user_are_never_written_to(self):
        model = self.user_module(1).Model(16)
        before = copy.deepcopy(model.state_dict())
        with torch.no_grad():
            self.apply(model)
            model(torch.randn(6, 16))
        for name, weight in model.state_dict().items():
            self.assertTrue(torch.equal(weight, before[name]), name)

    def test_the_generators_of_the_user_do_not_notice(self):
        model, x = self.user_module(1).Model(16), torch.randn(6, 16)
        state = torch.random.get_rng_state()
        with torch.no_grad():
            self.apply(model)
            model(x)
        self.assertTrue(torch.equal(state, torch.random.get_rng_state()))

    def test_what_differs_is_left_alone(self):
        users = self.user_module(1)
        hooked = users.Model(16)
        hooked.one.register_forward_hook(lambda *_: None)
        tied = users.Model(16)
        tied.two.inner.weight = tied.one.inner.weight
        for model, word in ((users.Model(16, slope=0.2), "slope"), (users.Model(8), "features"),
                            (users.Model(16).double(), "float64"), (hooked, "hooks"),
                            (tied, "tied")):
            done = self.apply(model)
            self.assertEqual(done.modules, {}, word)
            self.assertIn(word, done.left[""])
        self.assertFalse(self.apply(torch.nn.Linear(16, 16)))

    def test_what_was_noted_on_a_module_does_not_count(self):
        users = self.user_module(1)
        model = users.Model(16)
        model.where_it_is_from = {"a": "catalogue"}
        self.assertEqual(len(self.apply(model).modules), 1)
        missing = users.Model(16)
        del missing.one.slope
        self.assertIn("slope", self.apply(missing).left[""])

    def test_parts_that_change_later_are_seen(self):
        for change in (lambda model: setattr(model.one, "inner", torch.nn.Linear(16, 16)),
                       lambda model: model.one.register_forward_hook(lambda *a: a[2] + 1),
                       lambda model: setattr(model.one.inner, "weight",
                                             torch.nn.Parameter(torch.randn(16, 16))),
                       lambda model: model.one.inner.weight.mul_(2)):
            model, x = self.user_module(1).Model(16), torch.randn(6, 16)
            with torch.no_grad():
                self.apply(model)
                model(x)
                change(model)
                got = model(x)["y"]
                self.package.restore(model)
                torch.testing.assert_close(got, model(x)["y"])

    def test_a_forward_of_its_own_is_left_alone(self):
        users = self.user_module(1)
        whole, part = users.Model(16), users.Model(16)
        whole.forward = lambda x, scale=1.0: {"y": x}
        part.one.forward = lambda x: x
        self.assertIn("it has a forward of its own", self.apply(whole).left[""])
        self.assertIn("its part one has a forward of its own", self.apply(part).left[""])

    def test_transforms_and_autocast_are_the_originals(self):
        model, x = self.user_module(2).Model(), torch.randn(8, 32)
        with torch.no_grad():
            self.apply(model)
            self.assertIn("winner", self.package.why(model, x))
            rows = torch.func.vmap(model)(x)
            torch.testing.assert_close(rows, torch.tanh(x) * torch.sigmoid(x))
            with torch.autocast("cpu", dtype=torch.bfloat16):
                self.assertIn("autocast", self.package.why(model, x))

    def test_another_machine_or_torch_runs_the_original(self):
        here = importlib.import_module("shipped_here.here")
        model = self.user_module(2).Model()
        self.addCleanup(setattr, here, "torch_version", here.torch_version)
        here.torch_version = lambda: "9.9"
        done = self.apply(model)
        self.assertIn("torch 9.9", done.left[""])
        self.assertTrue(self.apply(model, trust="torch"))
        with self.assertRaisesRegex(ValueError, "machine"):
            self.apply(model, trust="all")

    def test_unlike_devices_of_one_machine(self):
        here = importlib.import_module("shipped_here.here")
        attachment = importlib.import_module("shipped_here.attachment")
        model, x = self.user_module(2).Model(), torch.randn(8, 32)
        names = {0: "another one", 1: here.device_name("cpu")}
        with mock.patch.object(here, "device_count", lambda kind: len(names)), \
                mock.patch.object(here, "device_name", lambda kind, index=0: names[index]), \
                torch.no_grad():
            self.assertTrue(self.apply(model))
            self.assertIn("another GPU", self.package.why(model, x))  # a CPU has no number
            torch.testing.assert_close(model(x), torch.tanh(x) * torch.sigmoid(x))
            self.assertTrue(self.apply(model, trust="machine"))
            self.assertIn("the winner answers", self.package.why(model, x))
            names[1] = "a third one"
            self.assertIn("this is another one", self.apply(model).left[""])
        lying_on = [types.SimpleNamespace(index=0), types.SimpleNamespace(index=1)]
        tensors = [mock.Mock(torch.Tensor, device=device) for device in lying_on]
        nothing = torch.nn.Identity()
        self.assertFalse(attachment._lies_elsewhere(nothing, tensors[1:], {1}))
        self.assertTrue(attachment._lies_elsewhere(nothing, tensors, {1}))

    def test_a_torch_that_is_too_old(self):
        old = self.at / "old/torch"
        old.mkdir(parents=True)
        (old / "__init__.py").write_text('__version__ = "2.3.1+cpu"\n', encoding="utf-8")
        done = subprocess.run([sys.executable, "-c", "import shipped_here"], cwd=self.at / "out",
                              env={"PYTHONPATH": str(old.parent)}, capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertIn("ImportError: shipped_here needs torch 2.6 or newer, this is 2.3: leave "
                      "shipped_here out, and the model runs as it is", done.stderr)

    def test_data_parallel_is_refused(self):
        model = torch.nn.DataParallel(self.user_module(2).Model())
        with self.assertRaisesRegex(ValueError, "DistributedDataParallel"):
            self.apply(model)

    def test_as_a_layer_that_another_program_binds(self):
        users = self.user_module(CAPTURED_RUN)
        model, inputs = users.Gate(24).eval(), [torch.randn(5, 24), torch.rand(5, 1)]
        layer = self.package.layers.Gate
        self.assertIs(layer.__init__, torch.nn.Module.__init__)
        self.assertEqual(inspect.signature(layer.forward), inspect.signature(users.Gate.forward))
        with torch.no_grad():
            want = model(inputs[0], mask=inputs[1], power=3)
            model.forward = types.MethodType(layer.forward, model)
            got = model(inputs[0], mask=inputs[1], power=3)
            said = self.package.why(model, inputs[0], mask=inputs[1], power=3)
            self.assertIn("the winner answers", said)
            torch.testing.assert_close(got.hidden, want.hidden)
            model(inputs[0])
        self.assertIn("gradients", self.package.why(model, inputs[0], mask=inputs[1], power=3))
        self.assertEqual(self.package.restore(model), 1)
        self.assertNotIn("forward", vars(model))
        with self.assertRaises(AttributeError):
            self.package.layers.Unknown

    def test_a_layer_that_was_not_measured_stays_the_original(self):
        model = self.user_module(CAPTURED_RUN).Gate(25)
        model.forward = types.MethodType(self.package.layers.Gate.forward, model)
        with torch.no_grad():
            x = torch.randn(5, 25)
            torch.testing.assert_close(model(x).hidden, type(model).forward(model, x).hidden)
        self.assertIn("its weight is", self.package.why(model, x))

    @unittest.skipUnless(importlib.util.find_spec("kernels"), "`kernels` is not installed")
    def test_with_kernels_of_hugging_face(self):
        import kernels
        users = self.user_module(CAPTURED_RUN)
        kernels.replace_kernel_forward_from_hub(users.Gate, "Gate")
        model = torch.nn.Sequential(users.Gate(24), users.Gate(24)).eval()
        x, mask = torch.randn(5, 24), torch.rand(5, 1)
        want = model[0](x, mask=mask, power=3)
        with kernels.use_kernel_mapping(self.package.layers.mapping()):
            kernels.kernelize(model, mode=kernels.Mode.INFERENCE, device="cpu")
        with torch.no_grad():
            got = model[0](x, mask=mask, power=3)
            said = self.package.why(model[0], x, mask=mask, power=3)
        torch.testing.assert_close(got.hidden, want.hidden)
        self.assertIn("the winner answers", said)
        kernels.kernelize(model, mode=kernels.Mode.INFERENCE, device="cpu")
        self.assertEqual(self.package.replaced(model), [])

    def test_a_pickled_model_comes_back_with_its_own_forward(self):
        model, x = self.user_module(1).Model(16), torch.randn(6, 16)
        with torch.no_grad():
            want = model(x)["y"]
            self.apply(model)
            model(x)
            back = pickle.loads(pickle.dumps(model))
            self.assertEqual(self.package.replaced(back), [])
            torch.testing.assert_close(back(x)["y"], want)
            self.assertTrue(self.apply(back))
            self.assertIn("the winner answers", self.package.why(back, x))
            torch.testing.assert_close(back(x)["y"], want)

    def test_compiled_for_any_batch(self):
        model = self.user_module(1).Model(16)
        with torch.no_grad():
            self.apply(model)
            compiled = torch.compile(model, fullgraph=True, dynamic=True)
            for rows in (6, 3, 9, 6):
                x = torch.randn(rows, 16)
                torch.testing.assert_close(compiled(x)["y"], model(x)["y"])

    def test_without_cupel_or_a_compiler(self):
        script = textwrap.dedent("""\
            import sys, torch
            sys.path[:0] = [sys.argv[1] + "/out", sys.argv[1]]
            import shipped_here, users_0
            model = users_0.Model(1024)
            inputs = users_0.get_inputs()
            with torch.no_grad():
                want = model(*inputs)
                assert shipped_here.apply(model)
                assert "the winner" in shipped_here.why(model, *inputs)
                torch.testing.assert_close(model(*inputs), want, rtol=1e-4, atol=1e-4)
            assert "cupel" not in sys.modules
            """)
        self.user_module(0)
        compileall.compile_dir(self.at / "out", quiet=1)  # as an installer does
        done = subprocess.run([sys.executable, "-c", script, str(self.at)], text=True,
                              env={"PATH": "/nowhere", "HOME": str(self.at)}, timeout=200,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_manifest_and_provenance_say_where_it_is_from(self):
        manifest = json.loads((self.at / "out/shipped_here/manifest.json").read_text())
        self.assertEqual({entry["task"] for entry in manifest["entries"]},
                         {"mish_gate", "mish_gate_64", "dense", "gates", "gate"})
        shares = {key.rpartition("_")[0]: winner["shares_weights"]
                  for key, winner in manifest["winners"].items()}
        self.assertEqual(shares, {"mish_gate": True, "dense": False, "gates": True,
                                  "gate": True})
        told = json.loads((self.at / "out/shipped_here/provenance.json").read_text())
        self.assertEqual(told["runs"][0]["winner"]["id"], self.runs[0]["winner"]["id"])
        self.assertEqual(told["licence"]["code"], "Apache-2.0")


class NotShipped(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.at = directory.name

    def refused(self, task, winner):
        status, answer = shipping_order.ship(self.at, "wrong", [
            shipping_order.run_of("dense", task, winner)])
        self.assertEqual(status, 1)
        return answer

    def test_a_wrong_winner_fails_the_tests_of_its_package(self):
        wrong = DENSE_WINNER.replace("return (x * scale,)", "return (x * scale * 1.01,)")
        self.assertIn("off by", self.refused(DENSE, wrong)["error"])

    def test_weights_under_other_names(self):
        other = DENSE_WINNER.replace("self.one, self.two = Part", "self.eins, self.two = Part")
        self.assertIn("weights", self.refused(DENSE, other)["error"])

    def test_weights_that_no_state_fills(self):
        more = DENSE_WINNER.replace("    def prepare(self):", '''
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.more = nn.Parameter(torch.ones(1))

    def prepare(self):''')
        answer = self.refused(DENSE, more)
        self.assertIn("more", answer["error"])
        self.assertIn("prepare()", answer["hint"])


if __name__ == "__main__":
    unittest.main()
