"""What a program leaves behind in its process, in processes of its own."""

import json
import os
import subprocess
import sys
import unittest

import torch

from cupel.traces import operators

# A process that has imported torch, as a host has, and forks for each program that it is told of.
SERVER = """
import json, os, sys
from cupel.process_state import Watch
import torch, torch.utils.cpp_extension
for line in sys.stdin:
    case = json.loads(line)
    if not os.fork():
        torch.manual_seed(3)
        watch = Watch()
        exec(case["program"], globals())
        made = eval("dict(" + case["made"] + ")")
        watch.program_made(3, **made)
        for call in range(3):
            exec(case["calls"], globals())
            watch.between_calls()
        print(json.dumps({change["what"]: change["after"] for change in watch.changes()}))
        sys.stdout.flush()
        os._exit(0)
    if os.wait()[1]:
        print(json.dumps({"failed": line}), flush=True)
"""
server = None


def setUpModule():
    global server
    server = subprocess.Popen([sys.executable, "-W", "ignore", "-c", SERVER], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def tearDownModule():
    with server:
        server.stdin.close()


def changes(program="", calls="", made=""):
    """{what: after} of a program's import and its three calls, of which each knows its number as
    `call`; `made`: what is told once it stands."""
    print(json.dumps({"program": program, "calls": calls, "made": made}), file=server.stdin,
          flush=True)
    return json.loads(server.stdout.readline())


def together(cases, count=6):
    """Of (program, what, ...) lists of so many, which have a process in common."""
    return [cases[i:i + count] for i in range(0, len(cases), count)]


class ProcessStateTest(unittest.TestCase):
    def assert_all_show(self, *all_cases):
        """Each (program, what): `what` is told of a process that has run the program."""
        for cases in together(all_cases):
            found = changes("\n".join(program for program, _ in cases))
            for program, what in cases:
                with self.subTest(program=program):
                    self.assertIn(what, found)

    def test_weights_that_calls_write_to(self):
        self.assertEqual(
            changes("model = torch.nn.BatchNorm1d(8)",
                    "model.running_var[3] += 1; model.weight.data = model.weight.data.double()",
                    "state=lambda: model.state_dict(keep_vars=True)"),
            {"weight running_var, written to in calls": "otherwise"})

    def test_methods_of_layers_and_ways_of_imports(self):
        for calls, what in (
                ("torch.nn.Linear.forward = len", "torch.nn.modules.linear.Linear.forward"),
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

    def test_extensions_that_build_faster_break_no_other_code(self):
        self.assertEqual(changes("from cupel import light_extension; "
                                 "light_extension.accelerate_for('load_inline')"), {})

    def test_each_switch_shows(self):
        for cases in together((
                ("torch.set_flush_denormal(True)", "subnormals are flushed", "True"),
                ("torch.set_default_dtype(torch.float64)", "torch.get_default_dtype",
                 "torch.float64"),
                ("torch.set_default_device('meta')", "torch.get_default_device",
                 "device(type='meta')"),
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
                ("import os; os.nice(3)", "os.getpriority",
                 str(min(19, os.getpriority(os.PRIO_PROCESS, 0) + 3))),
                ("import decimal; decimal.getcontext().prec = 4", "decimal.getcontext",
                 "(4, 'ROUND_HALF_EVEN')"),
                ("import logging; logging.disable(50)", "logging.root.manager.disable", "50"),
                ("import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
                 "resource.RLIMIT_CORE", "(0, 0)"),
                ("import numpy; numpy.seterr(all='ignore')", "errors of numpy",
                 str(dict.fromkeys(("divide", "over", "under", "invalid"), "ignore"))),
                ("import gc; gc.disable()", "gc.isenabled", "False"),
                ("import signal; signal.setitimer(signal.ITIMER_REAL, 1e6)", "timers running",
                 "[True, False, False]"),
                ("import threading; threading.setprofile(len)", "profiling of new threads",
                 "<built-in function len>"),
                ("import logging; logging.root.setLevel(50)", "warnings are logged", "False"),
                ("import sys; sys.setrecursionlimit(500)", "sys.getrecursionlimit", "500"),
                ("import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))",
                 "resource.RLIMIT_NOFILE", "(0, 0)"),
                ("torch.set_autocast_dtype('cpu', torch.float16)",
                 "torch.get_autocast_dtype('cpu')", "torch.float16"),
                ("off = torch._C.DisableTorchFunction(); off.__enter__()",
                 "overrides of functions", "'_TorchFunctionState.ALL_DISABLED'"),
                ("torch._C._set_multithreading_enabled(False)", "threads of autograd", "False"),
                ("import ctypes; ctypes.CDLL(None).fesetround(0x400)",
                 "rounding mode of floating point", "1024"),
                ("mode = torch.inference_mode(); mode.__enter__()",
                 "torch.is_inference_mode_enabled", "True"))):
            found = changes("\n".join(program for program, _, _ in cases))
            for program, what, after in cases:
                with self.subTest(program=program):
                    self.assertEqual(found.get(what), after)

    def test_replaced_functions_show(self):
        self.assert_all_show(
            ("torch.softmax = torch.relu", "torch.softmax"),
            ("torch.nn.functional.relu = torch.tanh", "torch.nn.functional.relu"),
            ("torch.Tensor.sum = torch.Tensor.mean", "torch.Tensor.sum"),
            ("torch.nn.Module.__call__ = torch.nn.Module.forward",
             "torch.nn.modules.module.Module.__call__"),
            ("torch.Tensor.T = property(lambda x: x)", "torch.Tensor.T"),
            ("torch.optim.Adam.step = len", "torch.optim.adam.Adam.step"),
            ("import json; json.loads = str", "json.loads"),
            ("import time; time.perf_counter = time.time", "time.perf_counter"),
            ("import random; random.Random.random = len", "random.Random.random"),
            ("del torch.relu", "torch.relu"),
            ("import builtins; builtins.sum = max", "builtins.sum"),
            ("import math; math.exp = math.sqrt", "math.exp"),
            ("import torch.library; lib = torch.library.Library('aten', 'IMPL'); "
             "lib.impl('tanh', lambda x: x, 'CPU')", "operators of torch's replaced"),
            ("torch.nn.modules.module.register_module_forward_hook(lambda *_: None)",
             "torch.nn.modules.module._global_forward_hooks"))

    def test_what_is_exchanged_in_place_or_stands_in_front_shows(self):
        self.assert_all_show(
            ("torch.nn.functional.dropout.__code__ = (lambda *a, **k: a[0]).__code__",
             "torch.nn.functional.dropout"),
            ("torch.nn.functional.alpha_dropout.__defaults__ = (0.0, False, False)",
             "torch.nn.functional.alpha_dropout"),
            ("torch.nn.Linear.forward.__code__ = (lambda self, x: x).__code__",
             "torch.nn.modules.linear.Linear.forward"),
            ("torch.nn.Module.training = property(lambda self: False, lambda *_: None)",
             "torch.nn.modules.module.Module.training"),
            ("torch.nn.Linear.__getattribute__ = lambda self, name: None",
             "torch.nn.modules.linear.Linear.__getattribute__"),
            ("torch.nn.Linear.weight = lambda self: 0",
             "torch.nn.modules.linear.Linear.weight"),
            ("torch.nn.functional._mha_shape_check = len",
             "torch.nn.functional._mha_shape_check"),
            ("json.encoder.len = lambda _: 0", "json.encoder.len"),
            ("torch.float32 = torch.bfloat16", "torch.float32"),
            ("import math; math.pi = 3.0", "math.pi"),
            ("import types; sys.modules['wave'] = types.ModuleType('wave')",
             "sys.modules[wave]"),
            ("import builtins; builtins.__import__ = lambda *a, **k: json",
             "builtins.__import__"))

    def test_operators_by_whomever_they_are_replaced(self):
        what = "operators of torch's replaced"
        for program, name in (
                ("library = torch._C._dispatch_library('IMPL', 'aten', 'CPU'); "
                 "library.impl('tanh', 'CPU', lambda *_: 0)", "aten::tanh"),
                ("torch.ops.aten.relu = len", "torch.ops.aten.relu")):
            with self.subTest(program=program):
                self.assertEqual(changes(program).get(what), f"1: {name}")

    def test_what_is_added_stands_in_nobodys_way(self):
        self.assertEqual(changes(
            "import types; sys.modules['mine'] = types.ModuleType('mine'); "
            "torch.Tensor.mine = lambda self: self; torch.mine = len; "
            "library = torch.library.Library('mine', 'FRAGMENT'); "
            "library.define('f(Tensor x) -> Tensor'); library.impl('f', lambda x: x, 'CPU')"), {})

    def test_what_a_list_has_otherwise_shows_wherever_it_lies(self):
        self.assertEqual(changes("import sys; sys.path[1] = '/elsewhere'").get("sys.path"),
                         "['/elsewhere']")

    def test_one_that_many_inherit_is_told_once(self):
        self.assertEqual(list(changes("torch.nn.Module.eval = torch.nn.Module.train")),
                         ["torch.nn.modules.module.Module.eval"])

    def test_gradients(self):
        off = {"torch.is_grad_enabled": "False"}
        self.assertEqual(changes("torch.set_grad_enabled(False)", made="gradients=False"), off)
        self.assertEqual(changes("torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)"),
                         {"torch.is_grad_enabled": "True"})
        self.assertEqual(changes("torch.set_grad_enabled(False)"), {})  # by the judge

    def test_random_numbers(self):
        self.assertIn("seed of torch's generator", changes("torch.manual_seed(9)"))
        self.assertEqual(changes("torch.randn(4)"), {})
        self.assertEqual(changes(calls="torch.randn(4)"),
                         {"random numbers drawn in calls": "torch"})
        self.assertEqual(
            changes("with torch.random.fork_rng(devices=[]): torch.manual_seed(9)"), {})

    def test_generators_that_calls_put_into_one_state(self):
        for program, calls, name in (
                ("state = torch.get_rng_state()", "torch.set_rng_state(state)", "torch"),
                ("state = torch.get_rng_state()",
                 "torch.set_rng_state(state); torch.randn(4)", "torch"),
                ("import random", "random.seed(7)", "random"),
                ("import random", "random.seed(call % 2)", "random"),
                ("import numpy", "numpy.random.seed(7); numpy.random.rand(3)", "numpy")):
            with self.subTest(calls=calls):
                self.assertIn(f"random numbers of {name}", changes(program, calls))

    def test_generators_that_calls_draw_from_or_borrow_are_not_put(self):
        for calls, drawn in (
                ("import random, numpy; torch.rand(1000); random.random(); numpy.random.rand(3)",
                 "numpy, random, torch"),
                ("with torch.random.fork_rng(devices=[]): torch.manual_seed(9); torch.rand(3)", ""),
                ("state = torch.get_rng_state(); torch.rand(3); torch.set_rng_state(state)", "")):
            with self.subTest(calls=calls):
                wanted = {"random numbers drawn in calls": drawn} if drawn else {}
                self.assertEqual(changes("import numpy", calls), wanted)


class OperatorTables(unittest.TestCase):
    def test_are_compared_without_the_lines_that_torch_adds_late(self):
        late = tuple(line[1:] for line in operators._LATE_LINES)
        found = set()
        for name in ("aten::add.Tensor", "aten::linear", "aten::addmm", "aten::relu_"):
            table = torch._C._dispatch_dump_table(name)
            lines = table.splitlines()
            kept = [line for line in lines if not line.startswith(late)]
            found.update(line.split(":")[0] for line in lines if line not in kept)
            self.assertEqual(operators._without_late_lines("\n" + table).splitlines()[1:], kept)
        self.assertIn("FuncTorchBatched", found)


if __name__ == "__main__":
    unittest.main()
