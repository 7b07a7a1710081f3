"""Turns a task (docs/protocol.md, `open`) into a Program: constructor and input generator.

Two kinds. A "file" task is a KernelBench file: `Model`, `get_inputs()`, `get_init_inputs()`. It may
bring what its user has: `get_state()`, a state dict that the reference is given, and
`get_captured_inputs()`, a list of argument lists of calls that really happened. A file of weights
that the user names comes before `get_state()`.
A "module" task names a class (`pkg.mod:Class`) and describes its inputs (`f32[16,256],i64[8]<100`).

In the mode "as_constructed" models stay as their constructor leaves them (train, normally): that
is what the KernelBench evaluator runs. Batch norm then normalizes by the batch, so its running
statistics do not reach the outputs; dropout with p > 0 makes a task nondeterministic, which
admission tells. In the mode "inference" eval() is called once the weights are there.
"""

import ast
import base64
import functools
import importlib
import os
import pickle
import random
import re
import sys
import types

import torch

from cupel import failures, placement, protocol
from cupel.failures import TaskFailure
from cupel.weights import read_state

TASK_MODULE = "cupel_task_source"
INTEGER_BOUND_DEFAULT = 8  # exclusive upper bound of integer inputs that state none
INIT_BYTES_MAX = 2 << 20   # pickled constructor arguments: they travel in a frame of 4 MiB at most
MODES = ("as_constructed", "inference")
_DTYPES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "i64": "int64",
    "i32": "int32", "i16": "int16", "i8": "int8", "u8": "uint8", "c64": "complex64",
    "bool": "bool",
}
_LEAF = re.compile(r"\s*([a-z0-9]+)\s*\[([\d\s,]*)\]\s*(?:<\s*(\d+))?\s*(,|$)")


@functools.cache
def _seeds_torch():
    """torch.manual_seed keeps a stack for each kind of device that is not there: 2 ms."""
    return torch.manual_seed if torch.cuda.is_available() else torch.default_generator.manual_seed


def seed_everything(seed):
    """Seeds every generator that a task's code may use. `seed`: 64 bits."""
    _seeds_torch()(seed)
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed & 0xFFFFFFFF)


class Program:
    """The task's own code. `path` is the file that errors point at, `source` its text, and
    `import_root` the directory below which its other modules lie; `default_dtype` is torch's
    default after the code was imported, which a task may set; `device`: where its tensors lie;
    `mode`: one of MODES."""

    def __init__(self, path, model_class, generator, init):
        self.path = path
        self.source = self.import_root = ""
        self.device, self.mode = "cpu", MODES[0]
        self.default_dtype = torch.get_default_dtype()
        self.get_state = self.get_captured_inputs = None  # functions, where the task has them
        self.state_origin = "the dictionary of get_state()"
        self._model_class = model_class
        self._generator = generator
        self.init_pickle = _pickle_init(init, path)

    def construct(self, seed):
        """A new reference under `seed`, from the same constructor arguments as the hosts', in the
        task's mode."""
        init = base64.b64decode(self.init_pickle)
        with self.guard("construct"):
            model = placement.construct(self._model_class, init, seed, self.device,
                                        seed_everything)
        if not isinstance(model, torch.nn.Module):
            raise TaskFailure("no_model", f"{self.path}: Model is not a torch.nn.Module; "
                              "derive it from torch.nn.Module", "construct")
        if self.get_state is not None:
            self._load_state(model)
        if self.mode == "inference":
            with self.guard("construct"):
                model.eval()
        return model

    def _load_state(self, model):
        with self.guard("get_state"):
            state = self.get_state()
            try:
                model.load_state_dict(state)
            except (RuntimeError, TypeError) as problem:
                raise TaskFailure("unsupported", f"{self.path}: {self.state_origin} does not fit "
                                  f"Model: {problem}", "get_state") from problem

    def captured_inputs(self):
        """Calls that really happened, a list of lists of arguments; empty where the task brings
        none."""
        if self.get_captured_inputs is None:
            return []
        with self.guard("get_captured_inputs"):
            calls = self.get_captured_inputs()
        if not isinstance(calls, (list, tuple)) or \
                not all(isinstance(call, (list, tuple)) for call in calls):
            raise TaskFailure("raised", f"{self.path}: get_captured_inputs() returned no list of "
                              "lists; return one list of arguments for each call",
                              "get_captured_inputs")
        return [list(call) for call in calls]

    def make_inputs(self):
        """The arguments of one call, a list; draws from the global generators."""
        with self.guard("get_inputs"):
            inputs = placement.make_on(self.device, self._generator)
        if not isinstance(inputs, (list, tuple)):
            raise TaskFailure("raised", f"{self.path}: get_inputs() returned "
                              f"{type(inputs).__name__}; return a list of arguments", "get_inputs")
        return list(inputs)

    def guard(self, phase):
        """A context that turns exceptions of the task's code into TaskFailures."""
        return _Guard(phase, self.path)


class _Guard:
    def __init__(self, phase, path):
        self._phase, self._path = phase, path

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, tb):
        if problem is None or isinstance(problem, (KeyboardInterrupt, GeneratorExit)):
            return False
        raise failures.from_exception(problem, self._phase, self._path) from problem


def load(task, device="cpu"):
    """The Program of a task, whose tensors are to lie on `device`. Raises TaskFailure."""
    if task.get("import_root"):
        _put_on_path(task["import_root"])
    program = _load_module(task) if task.get("kind") == "module" else _load_file(task)
    program.device = device
    program.mode = task.get("mode") or MODES[0]
    if program.mode not in MODES:
        raise TaskFailure("unsupported", f"unknown mode {program.mode!r}; one of: "
                          + ", ".join(MODES), "open")
    if task.get("weights"):
        program.get_state = functools.partial(read_state, task["weights"], task["weights_id"])
        program.state_origin = f"the state dict {task['weights']}"
    program.import_root = os.path.abspath(task["import_root"]) if task.get("import_root") else ""
    return program


def _put_on_path(root):
    root = os.path.abspath(root)
    if root not in sys.path:
        sys.path.insert(0, root)


def _load_file(task):
    path = task.get("path") or "<task>"
    source = task.get("source") or _read(path)
    module = _execute(path, source)
    model = getattr(module, "Model", None)
    if not isinstance(model, type):
        raise TaskFailure("no_model", f"{path} defines no class Model; name the module to "
                          "optimize Model", "import")
    generator = getattr(module, "get_inputs", None)
    if not callable(generator):
        raise TaskFailure("no_get_inputs", f"{path} defines no get_inputs(); add a function that "
                          "returns the list of arguments of one call", "import")
    program = Program(path, model, generator, _init_of(module, path))
    program.source = source
    program.get_state = _function(module, "get_state")
    program.get_captured_inputs = _function(module, "get_captured_inputs")
    return program


def _function(module, name):
    value = getattr(module, name, None)
    return value if callable(value) else None


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as problem:
        raise TaskFailure("parse", f"{path} cannot be read: {problem}", "import") from problem


def _execute(path, source):
    """Runs the task's text as a module of its own. It is registered while it lives: dataclasses
    and TorchScript look their module up."""
    failures.remember_source(path, source)
    module = types.ModuleType(TASK_MODULE)
    module.__file__ = path
    sys.modules[TASK_MODULE] = module
    seed_everything(0)
    with _Guard("import", path):
        # The task's own code, trusted; of bytes, as an import of its file would compile it.
        exec(compile(source.encode("utf-8"), path, "exec"), module.__dict__)
    return module


def _init_of(module, path):
    make = getattr(module, "get_init_inputs", None)
    if make is None:
        return []
    with _Guard("get_init_inputs", path):
        init = make()
    if not isinstance(init, (list, tuple)):
        raise TaskFailure("raised", f"{path}: get_init_inputs() returned {type(init).__name__}; "
                          "return the list of constructor arguments", "get_init_inputs")
    return list(init)


def _pickle_init(init, path):
    try:
        data = pickle.dumps(init)
    except Exception as problem:
        raise TaskFailure("unsupported", f"{path}: the constructor arguments cannot be pickled "
                          f"({problem}); use plain values and tensors",
                          "get_init_inputs") from problem
    if len(data) > INIT_BYTES_MAX:
        raise TaskFailure("unsupported", f"{path}: the constructor arguments take {len(data)} "
                          f"bytes, at most {INIT_BYTES_MAX} can travel; build large tensors "
                          "inside Model",
                          "get_init_inputs")
    if TASK_MODULE.encode() in data:
        raise TaskFailure("unsupported", f"{path}: the constructor arguments are objects of "
                          "classes that the task defines, which a candidate does not have; use "
                          "plain values and tensors", "get_init_inputs")
    return base64.b64encode(data).decode()


def _load_module(task):
    name, _, attribute = task["module"].partition(":")
    module = _import(name, task.get("import_root") or "")
    path = getattr(module, "__file__", None) or name
    model = getattr(module, attribute, None)
    if not isinstance(model, type):
        raise TaskFailure("no_model", f"{path} defines no class {attribute!r}; name it as "
                          "pkg.module:Class", "import")
    leaves = parse_input_spec(task.get("input_spec") or "")
    program = Program(path, model, lambda: [make_leaf(*leaf) for leaf in leaves],
                      _literal_init(task.get("init_spec") or ""))
    program.source = f"from {name} import {attribute}\n"
    return program


def _import(name, root):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as problem:
        if problem.name and (name == problem.name or name.startswith(problem.name + ".")):
            raise TaskFailure("no_model", f"no module named {problem.name} under "
                              f"{root or 'sys.path'}; run from the directory that holds it",
                              "import") from problem
        raise _import_failure(problem, name) from problem
    except (Exception, SystemExit) as problem:
        raise _import_failure(problem, name) from problem


def _import_failure(problem, name):
    spec = importlib.util.find_spec(name) if "." not in name else None
    path = spec.origin if spec and spec.origin else ""
    return failures.from_exception(problem, "import", path)


def _literal_init(text):
    if not text.strip():
        return []
    try:
        init = ast.literal_eval(text)
    except (ValueError, SyntaxError) as problem:
        raise TaskFailure("parse", f"the constructor arguments {text!r} are no Python literal: "
                          f"{problem}; write a list such as [256, 4]", "open") from problem
    return list(init) if isinstance(init, (list, tuple)) else [init]


def parse_input_spec(text):
    """`f32[16,256],i64[8]<100` to [(dtype, shape, exclusive bound or None)]."""
    leaves, at = [], 0
    while at < len(text):
        match = _LEAF.match(text, at)
        name = _DTYPES.get(match[1], match[1]) if match else ""
        if not match or not isinstance(getattr(torch, name, None), torch.dtype):
            raise TaskFailure("parse", f"the inputs {text!r} cannot be read at {text[at:]!r}; "
                              "write f32[16,256],i64[8]<100", "open")
        shape = [int(size) for size in match[2].replace(",", " ").split()]
        leaves.append((name, shape, int(match[3]) if match[3] else None))
        at = match.end()
    if not leaves:
        raise TaskFailure("parse", "the inputs are not described; write f32[16,256],i64[8]<100",
                          "open")
    return leaves


def make_leaf(name, shape, bound):
    """A random tensor: normal for floating types, uniform in [0, bound) for integers."""
    dtype = getattr(torch, name)
    if protocol.is_floating(dtype):
        drawn = torch.float32 if dtype.is_floating_point else dtype
        return torch.randn(shape, dtype=drawn).to(dtype)
    if dtype == torch.bool:
        return torch.randint(0, 2, shape).to(torch.bool)
    return torch.randint(0, bound or INTEGER_BOUND_DEFAULT, shape, dtype=dtype)
