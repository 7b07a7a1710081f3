"""Does a task that was written compute what the module did?"""

import contextlib
import random
import sys

import torch

from cupel import loading, protocol
from cupel.failures import TaskFailure

# Of the spread of what came back then.
TOLERANCES = {torch.float16: 2e-2, torch.bfloat16: 5e-2}
TOLERANCE = 1e-3
SEED = 0


def problem_with(path, sample, device):
    """A sentence, or "" for none. Runs the task's file. `sample`: a call of the module whose state
    the task has; None where none was kept. `device`: where the module lay."""
    with _untouched(), torch.no_grad():
        try:
            program = loading.load({"kind": "file", "path": str(path)}, device)
            model = program.construct(SEED)
            program.make_inputs()
            if sample is None or model.training:
                return ""
            got = model(*[tensor.to(device, copy=True) for tensor in sample.tensors])
        except TaskFailure as problem:
            return problem.what
        except Exception as problem:  # whatever the module's code does
            return f"{type(problem).__name__}: {problem}"
    return _difference([tensor.cpu() for tensor in protocol.flatten(got)[1]], sample.outputs)


def _difference(got, want):
    if [(t.shape, t.dtype) for t in got] != [(t.shape, t.dtype) for t in want]:
        return "its outputs have other shapes or dtypes"
    for one, other in zip(got, want):
        one, other = one.double(), other.double()
        if not torch.equal(one.isfinite(), other.isfinite()):
            return "its outputs have NaN or infinities elsewhere"
        spread = float(other[other.isfinite()].std(correction=0)) if other.numel() > 1 else 0.0
        worst = float((one - other).nan_to_num(0, 0, 0).abs().max()) if other.numel() else 0.0
        if worst > TOLERANCES.get(want[0].dtype, TOLERANCE) * (spread or 1.0):
            return f"its outputs are off by {worst:.3g}, their spread is {spread:.3g}"
    return ""


@contextlib.contextmanager
def _untouched():
    """The program that is captured keeps its random numbers, its path and its default dtype; the
    task is run without the autocast that may be on about it."""
    path, state, dtype = list(sys.path), random.getstate(), torch.get_default_dtype()
    numpy = sys.modules.get("numpy")
    numpy_state = numpy.random.get_state() if numpy else None
    with torch.random.fork_rng(), contextlib.ExitStack() as plain:
        for device in ("cpu", "cuda"):
            if torch.is_autocast_enabled(device):
                plain.enter_context(torch.autocast(device, enabled=False))
        try:
            yield
        finally:
            sys.path[:] = path
            random.setstate(state)
            torch.set_default_dtype(dtype)
            sys.modules.pop(loading.TASK_MODULE, None)
            if numpy:
                numpy.random.set_state(numpy_state)
