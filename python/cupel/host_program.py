"""Turns a candidate's source into instances that can be called (the host's `load`)."""

import base64
import importlib.util
import os
import sys
import tempfile
import time

import torch

from cupel import light_extension, placement
from cupel.host_faults import ProgramFault, fault_of
from cupel.state_names import load, names_for

MODULE_NAME = "candidate"
work_directory = ""  # where the judge says that a host may write; programs need not know
HIDDEN_FILES = {__file__, importlib.util.__file__, placement.__file__, light_extension.__file__}


class Program:
    """The instances of one candidate. Construction runs the candidate's code, and ends with
    gradients off; `gradients`: whether that code left them on."""

    def __init__(self, request, weights_arena):
        start = time.perf_counter()
        if request.get("import_root"):
            sys.path.insert(0, request["import_root"])
        cls = find_class(import_source(request["source"]), request["class"])
        imported = time.perf_counter()
        init = base64.b64decode(request["init"])
        wanted = request["instances"]
        self.instances = [_constructed(cls, init, each["seed"], request) for each in wanted]
        self._names = names_for(self.instances, wanted[0]["weights"], weights_arena)
        for instance, each in zip(self.instances, wanted):
            _settle(instance, self._names, each["weights"], weights_arena, request)
        self.gradients = torch.is_grad_enabled()
        torch.set_grad_enabled(False)
        self.seed = wanted[-1]["seed"]
        self.weights = "seeded" if self._names is None else "loaded"
        self.import_ms = (imported - start) * 1e3
        self.construct_ms = (time.perf_counter() - imported) * 1e3

    def loaded_state(self):
        """{name: tensor} of the first instance, as it is now, of what was loaded into it."""
        mine = {**dict(self.instances[0].named_parameters(remove_duplicate=False)),
                **dict(self.instances[0].named_buffers(remove_duplicate=False))}
        return {name: mine[name] for name in self._names or () if name in mine}


def import_source(source):
    """Imports the source as the module `candidate`."""
    module, code = module_of(source)
    try:
        exec(code, module.__dict__)
    except BaseException as error:
        raise fault_of(error, "import", HIDDEN_FILES) from None
    return module


def module_of(source, name=MODULE_NAME):
    """(module, its code, which has not run yet). The source lies in a file (inspect.getsource,
    torch.compile and load_inline read it back); what runs is that file's bytes."""
    path = os.path.join(_work_directory(), name + ".py")
    shipped = source.encode("utf-8")
    with open(path, "wb") as file:
        file.write(shipped)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.path.append(os.path.dirname(path))
    sys.modules[name] = module
    code = _compiled(shipped, path)
    light_extension.accelerate_for(source)
    return module, code


def _work_directory():
    if work_directory and os.access(work_directory, os.W_OK):
        return work_directory
    return tempfile.mkdtemp(prefix="program-")


def _compiled(shipped, path):
    """Of bytes, as an import compiles them: a string would be another program to Python where it
    holds a coding cookie."""
    try:
        return compile(shipped, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        what = f"{type(error).__name__}: {error.msg} (candidate.py, line {error.lineno})"
        raise ProgramFault("import", "syntax", what, fault_of(error, "import", HIDDEN_FILES).trace)
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes; absurd nesting
        raise ProgramFault("import", "syntax", f"{type(error).__name__}: {error} (candidate.py)")


def find_class(module, name):
    """The torch.nn.Module subclass `name` of the module."""
    cls = getattr(module, name, None)
    if cls is None:
        raise ProgramFault("import", "no_class", f"candidate.py defines no class {name}")
    if not isinstance(cls, type) or not issubclass(cls, torch.nn.Module):
        raise ProgramFault("import", "bad_class",
                           f"{name} in candidate.py is not a subclass of torch.nn.Module")
    return cls


def _constructed(cls, init_pickle, seed, request):
    try:
        return placement.construct(cls, init_pickle, seed, request["device"])
    except BaseException as error:
        raise fault_of(error, "construct", HIDDEN_FILES) from None


def _settle(instance, names, delivered, arena, request):
    """Loads the reference's weights, as a user will, and makes the instance ready for calls.
    `names`: as of state_names, None for none."""
    try:
        with torch.no_grad():
            if names is not None:
                instance.load_state_dict(load(instance, names, delivered, arena))
            settle_mode(instance, request)
    except BaseException as error:
        raise fault_of(error, "construct", HIDDEN_FILES) from None
    try:
        if callable(getattr(instance, "prepare", None)):
            with torch.no_grad():
                instance.prepare()
    except BaseException as error:
        raise fault_of(error, "prepare", HIDDEN_FILES) from None


def settle_mode(instance, request):
    """Puts the instance into the task's mode. Before prepare(), which may derive from the weights
    what holds in that mode alone."""
    if request.get("mode") == "inference":
        instance.eval()
