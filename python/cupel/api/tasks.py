"""What a task may be given as, in Python: what the command line takes, or a class of modules and
example inputs.

A class or function that a program can import is named to the binary as package.module:Name, with a
description of the inputs; `init=[...]` are a constructor's arguments. An instance stands for its
class.
"""

import inspect
import os
import pathlib
import sys
import types

_DTYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16",
           "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint8": "u8",
           "bool": "bool"}


class TaskSpec:
    """The words and options that name a task to the binary. A context: what it wrote is removed at
    its end."""

    def __init__(self, task, inputs):
        self._extra = {}
        if isinstance(task, (str, os.PathLike)):
            self.arguments = [task]
            self._extra["inputs"] = inputs if isinstance(inputs, str) else described(inputs)
        else:
            self.arguments = [self._of_class(task, inputs)]

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        return None

    def options(self, options):
        """The user's options and those that name the task; `init` may be a list."""
        if isinstance(options.get("init"), (list, tuple)):
            options = {**options, "init": repr(list(options["init"]))}
        return {**self._extra, **options}

    def _of_class(self, task, inputs):
        named = isinstance(task, (type, types.FunctionType))
        kind = task if named else type(task)
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


def described(inputs):
    """The tensors of a call as `f32[16,256],i64[8]<100`; None for None."""
    if inputs is None:
        return None
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
