"""What a program leaves behind in its process, in processes of its own."""

import json
import subprocess
import sys
import unittest

PREAMBLE = """
import json, sys
from cupel.process_state import Watch
import torch
torch.manual_seed(3)
watch = Watch()
{program}
watch.program_made(3)
{calls}
json.dump({{change["what"]: change["after"] for change in watch.changes()}}, sys.stdout)
"""


def changes(program="", calls=""):
    """{what: after} of a program's import and its calls."""
    text = PREAMBLE.format(program=program, calls=calls)
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", text], check=True,
                         stdout=subprocess.PIPE, timeout=120)
    return json.loads(ran.stdout)


class ProcessStateTest(unittest.TestCase):
    def test_weights_that_calls_write_to(self):
        text = PREAMBLE.format(
            program="model = torch.nn.BatchNorm1d(8)",
            calls="model.running_var[3] += 1; model.weight.data = model.weight.data.double()")
        text = text.replace("watch.program_made(3)",
                            "watch.program_made(3, lambda: model.state_dict(keep_vars=True))")
        ran = subprocess.run([sys.executable, "-W", "ignore", "-c", text], check=True,
                             stdout=subprocess.PIPE, timeout=120)
        self.assertEqual(json.loads(ran.stdout),
                         {"weight running_var, written to in calls": "otherwise"})

    def test_methods_of_layers_and_ways_of_imports(self):
        for calls, what in (
                ("torch.nn.Linear.forward = len", "torch.nn.Linear.forward"),
                ("sys.meta_path.insert(0, object())", "sys.meta_path"),
                ("sys.modules['torch.nn.functional'] = json", "sys.modules[torch.nn.functional]")):
            self.assertIn(what, changes(calls=calls))

    def test_an_honest_program_changes_nothing(self):
        self.assertEqual(changes(
            "model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU())",
            "with torch.no_grad(), torch.autocast('cpu', torch.bfloat16): "
            "model(torch.ones(8, 64)).sum().item()"), {})

    def test_compiling_breaks_no_other_code(self):
        compiled = changes("f = torch.compile(lambda x: torch.tanh(x) + 1, backend='eager')",
                           "f(torch.ones(8))")
        noted = ("environment variable ", "warnings.filters", "sys.path", "gc.", "torch._dynamo",
                 "torch._inductor", "random numbers drawn")
        self.assertEqual([what for what in compiled if not what.startswith(noted)], [])

    def test_each_switch_shows(self):
        for program, what, after in (
                ("torch.set_flush_denormal(True)", "subnormals are flushed", "True"),
                ("torch.set_default_dtype(torch.float64)", "torch.get_default_dtype",
                 "torch.float64"),
                ("torch.set_default_device('meta')", "torch.get_default_device",
                 "device(type='meta')"),
                ("torch.set_grad_enabled(False)", "torch.is_grad_enabled", "False"),
                ("torch.set_num_threads(1)", "torch.get_num_threads", "1"),
                ("torch.set_float32_matmul_precision('medium')",
                 "torch.get_float32_matmul_precision", "'medium'"),
                ("torch.backends.cudnn.benchmark = True", "torch.backends.cudnn.benchmark", "True"),
                ("torch.backends.mkldnn.set_flags(False)", "torch.backends.mkldnn.enabled",
                 "False"),
                ("torch.use_deterministic_algorithms(True)",
                 "torch.are_deterministic_algorithms_enabled", "True"),
                ("import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)",
                 "handler of SIGTERM", "<Handlers.SIG_IGN: 1>"),
                ("import os; os.environ['NEW'] = 'x'", "environment variable NEW", "'x'"),
                ("import os; del os.environ['PATH']", "environment variable PATH", "not set"),
                ("import os; os.chdir('/')", "os.getcwd", "'/'"),
                ("import os; os.umask(0)", "umask", "'0000'"),
                ("import gc; gc.disable()", "gc.isenabled", "False"),
                ("import ctypes; ctypes.CDLL(None).fesetround(0x400)",
                 "rounding mode of floating point", "1024"),
                ("mode = torch.inference_mode(); mode.__enter__()",
                 "torch.is_inference_mode_enabled", "True")):
            with self.subTest(program=program):
                self.assertEqual(changes(program).get(what), after)

    def test_replaced_functions_show(self):
        for program, what in (
                ("torch.softmax = torch.relu", "torch.softmax"),
                ("torch.nn.functional.relu = torch.tanh", "torch.nn.functional.relu"),
                ("torch.Tensor.sum = torch.Tensor.mean", "torch.Tensor.sum"),
                ("torch.nn.Module.__call__ = torch.nn.Module.forward", "torch.nn.Module.__call__"),
                ("import builtins; builtins.sum = max", "builtins.sum"),
                ("import math; math.exp = math.sqrt", "math.exp"),
                ("import torch.library; lib = torch.library.Library('aten', 'IMPL'); "
                 "lib.impl('tanh', lambda x: x, 'CPU')", "operators of torch's replaced"),
                ("torch.nn.modules.module.register_module_forward_hook(lambda *_: None)",
                 "torch.nn.modules.module._global_forward_hooks")):
            with self.subTest(program=program):
                self.assertIn(what, changes(program))

    def test_random_numbers(self):
        self.assertIn("seed of torch's generator", changes("torch.manual_seed(9)"))
        self.assertEqual(changes("torch.randn(4)"), {})
        self.assertEqual(changes(calls="torch.randn(4)"),
                         {"random numbers drawn in calls": "torch"})
        self.assertEqual(
            changes("with torch.random.fork_rng(devices=[]): torch.manual_seed(9)"), {})


if __name__ == "__main__":
    unittest.main()
