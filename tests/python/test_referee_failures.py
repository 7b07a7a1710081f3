"""Bad tasks: each gets its kind of failure, with file, line and what to do."""

import os
import tempfile
import unittest

import referee_session

HEAD = "import torch\n\n"
MODEL = """
class Model(torch.nn.Module):
    def forward(self, x):
        return x.relu()

"""
INPUTS = """
def get_inputs():
    return [torch.rand(4, 4)]
"""


def with_forward(body):
    model = f"class Model(torch.nn.Module):\n    def forward(self, x):\n        {body}\n"
    return HEAD + model + INPUTS


class BadTasks(referee_session.RefereeTest):
    def check(self, source, kind, *parts, **fields):
        reply = self.referee.open(source, **fields)
        self.assert_fails(reply, kind, *parts)
        return reply

    def test_does_not_parse(self):
        self.check("import torch\nclass Model(:\n", "parse", "/nowhere/task.py:2")

    def test_file_that_is_not_there(self):
        self.check("", "parse", "cannot be read")

    def test_no_model(self):
        self.check(HEAD + INPUTS, "no_model", "no class Model")

    def test_model_is_no_module(self):
        self.check(HEAD + "class Model:\n    pass\n" + INPUTS, "no_model", "torch.nn.Module")

    def test_no_get_inputs(self):
        self.check(HEAD + MODEL, "no_get_inputs", "get_inputs()")

    def test_get_inputs_raises(self):
        source = HEAD + MODEL + "def get_inputs():\n    raise ValueError('no luck')\n"
        reply = self.check(source, "raised", "/nowhere/task.py:9", "ValueError: no luck")
        self.assertEqual(reply["phase"], "get_inputs")
        self.assertIn("raise ValueError('no luck')", reply["trace"])

    def test_get_inputs_returns_a_tensor(self):
        source = HEAD + MODEL + "def get_inputs():\n    return torch.rand(4)\n"
        self.check(source, "raised", "list of arguments")

    def test_constructor_raises(self):
        source = HEAD + MODEL + INPUTS + "def get_init_inputs():\n    return [1, 2]\n"
        reply = self.check(source, "raised", "construct raised TypeError")
        self.assertEqual(reply["phase"], "construct")

    def test_call_raises(self):
        self.check(with_forward("return x @ torch.rand(3, 3)"), "raised", "/nowhere/task.py:5")

    def test_no_tensor_output(self):
        self.check(with_forward("return 3.0"), "no_tensor_output", "returns no tensor")

    def test_missing_package(self):
        self.check("import surely_not_installed.part\n", "missing_package", "/nowhere/task.py:1",
                   "pip install surely_not_installed")

    def test_misspelled_module_of_a_package_that_is_there(self):
        self.check("import torch.nn.functionale\n", "raised", "/nowhere/task.py:1",
                   "torch is there, and has no module of that name")

    def test_missing_package_under_another_name(self):
        self.check("import yaml_is_not_it, sklearn\n", "missing_package")
        self.check("raise ModuleNotFoundError(\"No module named 'cv2'\", name='cv2')\n",
                   "missing_package", "pip install opencv-python")

    def test_too_large_is_said_without_allocating(self):
        source = HEAD + MODEL + "def get_inputs():\n    return [torch.rand(1 << 40)]\n"
        self.check(source, "too_large", "8192.00 GiB", "may be used")

    def test_too_large_weights(self):
        source = HEAD + """
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(1 << 16, 1 << 16)

    def forward(self, x):
        return self.linear(x)

def get_inputs():
    return [torch.rand(1, 1 << 16)]
"""
        self.check(source, "too_large", "16.00 GiB of it weights")

    def test_unsupported(self):
        good = HEAD + MODEL + INPUTS
        self.check(good, "unsupported", "TF32", policy="tf32")
        self.check(good, "unsupported", "tpu", device="tpu")
        self.check(good, "unsupported", "no_such_class", value_classes=["no_such_class"])
        self.check(good, "unsupported", "no_such_class", value_classes=["-no_such_class"])
        self.check(good, "unsupported", "cannot be left out", value_classes=["-nominal"])

    def test_lazy_modules(self):
        source = HEAD + """
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.LazyLinear(3)

    def forward(self, x):
        return self.linear(x)
""" + INPUTS
        self.check(source, "unsupported", "lazy")

    def test_constructor_arguments_of_the_tasks_own_classes(self):
        source = HEAD + "class Setting:\n    pass\n" + MODEL + INPUTS
        self.check(source + "def get_init_inputs():\n    return [Setting()]\n", "unsupported",
                   "plain values")

    def test_exit_is_an_exception_like_others(self):
        self.check("import sys\nsys.exit(0)\n", "raised", "SystemExit")
        self.facts_of(HEAD + MODEL + INPUTS)

    def test_changing_shapes(self):
        source = HEAD + MODEL + """
count = 3
def get_inputs():
    global count
    count += 1
    return [torch.rand(count)]
"""
        self.facts_of(source)
        self.assert_fails(self.referee.ask("admit", samples=2), "unsupported", "same shapes")

    def test_prints_do_not_reach_the_socket(self):
        noise = "print('x' * 3000000)\nimport os\nos.write(1, b'to fd 1')\n"
        self.facts_of(noise + HEAD + MODEL + INPUTS)
        self.assertIn("to fd 1", self.referee.log())


class ModuleTasks(referee_session.RefereeTest):
    SOURCE = """
import torch

class Net(torch.nn.Module):
    def __init__(self, width, bias=True):
        super().__init__()
        self.table = torch.nn.Embedding(100, width)
        self.linear = torch.nn.Linear(width, width, bias)

    def forward(self, x, i):
        return self.linear(x) + self.table(i)
"""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def open(self, package, attribute="Net", spec="f32[8, 16],i64[8]<100", init="[16, False]"):
        os.makedirs(os.path.join(self.directory.name, package), exist_ok=True)
        with open(os.path.join(self.directory.name, package, "net.py"), "w") as file:
            file.write(self.SOURCE)
        task = {"kind": "module", "module": f"{package}.net:{attribute}", "input_spec": spec,
                "init_spec": init, "import_root": self.directory.name}
        return self.referee.open(task=task)

    def test_opens(self):
        reply = self.open("pkg_opens")
        self.assertEqual(reply["re"], "opened", reply)
        facts = reply["facts"]
        self.assertEqual([(s["dtype"], s["shape"]) for s in facts["inputs"]],
                         [("float32", [8, 16]), ("int64", [8])])
        self.assertEqual(facts["parameter_count"], 100 * 16 + 16 * 16)

    def test_names_what_is_missing(self):
        self.assert_fails(self.open("pkg_class", "Other"), "no_model", "Other", "net.py")
        task = {"kind": "module", "module": "pkg_none.net:Net", "import_root": self.directory.name,
                "input_spec": "f32[1]"}
        self.assert_fails(self.referee.open(task=task), "no_model", "pkg_none")

    def test_bad_specs(self):
        self.assert_fails(self.open("pkg_spec", spec="f32[8,16"), "parse", "f32[16,256]")
        self.assert_fails(self.open("pkg_spec", spec="f12[8]"), "parse", "f12[8]")
        self.assert_fails(self.open("pkg_spec", spec=""), "parse", "not described")
        self.assert_fails(self.open("pkg_spec", init="[open('x')]"), "parse", "literal")


if __name__ == "__main__":
    unittest.main()
