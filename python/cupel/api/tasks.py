"""What a task may be given as, in Python: what the command line takes, or a class of modules and
example inputs.

A class or function that a program can import is named to the binary as package.module:Name, with a
description of the inputs; `init=[...]` are a constructor's arguments. An instance is captured: it
is called once with the inputs, and its task has its weights, its mode and that call.
"""

import inspect
import os
import pathlib
import sys
import tempfile
import types

_DTYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16",
           "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint8": "u8",
           "bool": "bool"}


class TaskSpec:
    """The words and options that name a task to the binary. A context. A captured task stays, in
    the directory of runs, which need it."""

    def __init__(self, task, inputs):
        self._extra = {}
        if isinstance(task, (str, os.PathLike)):
            self.arguments = [task]
            self._extra["inputs"] = inputs if isinstance(inputs, str) else described(inputs)
        elif isinstance(task, (type, types.FunctionType)):
            self.arguments = [self._of_class(task, inputs)]
        else:
            self.arguments = [_captured(task, inputs)]

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        return None

    def options(self, options):
        """The user's options and those that name the task; `init` may be a list."""
        if isinstance(options.get("init"), (list, tuple)):
            options = {**options, "init": repr(list(options["init"]))}
        return {**self._extra, **options}

    def _of_class(self, kind, inputs):
        module = sys.modules.get(kind.__module__)
        path = getattr(module, "__file__", None)
        if kind.__module__ == "__main__" or not path or "." in kind.__qualname__:
            raise _refused(f"{kind.__qualname__} cannot be imported by its name",
                           "put it into a module of its own, or write a task file")
        if inputs is None:
            raise _refused(f"{kind.__name__} comes without inputs", "pass inputs=(x, ...), the "
                           "tensors of one call")
        _check_buildable(kind)
        self._extra["inputs"] = inputs if isinstance(inputs, str) else described(inputs)
        self._extra["import_root"] = str(pathlib.Path(path).resolve().parents[
            kind.__module__.count(".") + (pathlib.Path(path).name == "__init__.py")])
        return f"{kind.__module__}:{kind.__name__}"


def _captured(model, inputs):
    """The path of a task of this module, from one call. `inputs`: its arguments, a tuple or list;
    a dict for keywords; or one tensor."""
    name = type(model).__name__
    if not callable(getattr(model, "named_modules", None)):
        raise _refused(f"a {name} is no task", "pass a path, a class of modules, or an instance "
                       "of one")
    if inputs is None or isinstance(inputs, str):
        raise _refused(f"an instance of {name} comes without the arguments of a call",
                       "pass inputs=(x, ...), or inputs={\"x\": x} for keywords")
    import torch
    from cupel.capture import Capture
    folder = _folder_for(model)
    words, keywords = ((), inputs) if isinstance(inputs, dict) else (inputs, {})
    words = [words] if isinstance(words, torch.Tensor) else words
    try:
        with torch.no_grad(), Capture(model, out=folder, modules=[""]) as found:
            model(*words, **keywords)
    except (TypeError, ValueError) as problem:
        raise _refused(f"{name} could not be captured: {problem}",
                       "inputs are the arguments of one call") from problem
    row = next(row for row in found.rows if "" in row["paths"])
    if row["task"] is None:
        raise _refused(f"{name} is no task: {row['refusal']}", "write a task file")
    return folder / f"{row['task']['name']}.py"


def _folder_for(model):
    """A new one beside the runs."""
    above = pathlib.Path(os.environ.get("CUPEL_RUNS") or "runs") / "tasks"
    above.mkdir(parents=True, exist_ok=True)
    return pathlib.Path(tempfile.mkdtemp(prefix=f"{type(model).__name__}-", dir=above))


def described(inputs):
    """The tensors of a call as `f32[16,256],mask=bool[8]`; None for None."""
    if inputs is None:
        return None
    if isinstance(inputs, dict):
        return ",".join(f"{name}={_leaf(leaf, name)}" for name, leaf in inputs.items())
    leaves = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    return ",".join(_leaf(leaf, i) for i, leaf in enumerate(leaves))


def _leaf(leaf, index):
    name = str(getattr(leaf, "dtype", "")).split(".")[-1]
    if name not in _DTYPES:
        raise _refused(f"input {index} is a {type(leaf).__name__}{name and ' of ' + name}, which "
                       "no description of inputs can say", "write a task file with get_inputs()")
    sizes = ",".join(map(str, leaf.shape))
    whole = not leaf.dtype.is_floating_point and name != "bool"
    bound = f"<{max(int(leaf.max()) + 1, 1)}" if whole and leaf.numel() else ""
    return f"{_DTYPES[name]}[{sizes}]{bound}"


def _check_buildable(kind):
    try:
        inspect.signature(kind)
    except (TypeError, ValueError):
        raise _refused(f"{kind.__name__} is no class of modules",
                       "pass a torch.nn.Module") from None


def _refused(what, hint):
    from cupel.api.calling import CupelError
    return CupelError(f"{what} ({hint})", None, hint)
