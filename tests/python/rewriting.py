"""Tasks of a few lines, rewritten by build/rewrite_graphs, both programs run side by side."""

import json
import os
import pathlib
import re
import subprocess
import types

import torch

from cupel import graph_export, loading

DRIVER = pathlib.Path(os.environ["CUPEL_BINARY"]).parent / "rewrite_graphs"

_TASK = """
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.set_default_dtype(torch.float64)

class Model(nn.Module):
    def __init__(self):
        super().__init__()
{init}

    def forward(self, {names}):
{forward}

def get_inputs():
    return [{inputs}]
"""


class Driver:
    """One process for all graphs of a test, which are meant for a GPU."""

    def __init__(self, policy="tf32", device="cuda"):  # tf32: of rules all but the split product
        self._process = subprocess.Popen([DRIVER, policy, device], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True)

    def rewrite(self, exported):
        self._process.stdin.write(json.dumps(exported) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()


def task_source(init, forward, inputs):
    """`init`, `forward`: lines of Python; `inputs`: {name: Python that draws it}."""
    def indented(lines):
        return "\n".join("        " + line for line in lines or ["pass"])
    return _TASK.format(init=indented(init), forward=indented(forward),
                        names=", ".join(inputs), inputs=", ".join(inputs.values()))


def in_float32(source):
    """The task's source with torch's own default dtype."""
    return source.replace("torch.set_default_dtype(torch.float64)", "")


def export(source, mode="as_constructed"):
    """What the referee's request `graph` answers."""
    try:
        with torch.no_grad():
            program = loading.load({"kind": "file", "path": "<task>", "source": source,
                                    "mode": mode})
            return graph_export.export(program, seed=7)
    finally:
        torch.set_default_dtype(torch.float32)


def run_both(source, program_source, seed, integers=False, mode="as_constructed"):
    """(outputs of the task's Model, of ModelNew), both with one state that is not the constructed
    one, on the same inputs. `integers`: weights and inputs are small integers."""
    task = module_of(source)
    new = module_of(source + "\n\n" + program_source)
    torch.manual_seed(seed)
    init = task.get_init_inputs() if hasattr(task, "get_init_inputs") else []
    model, rewritten = task.Model(*init), new.ModelNew(*init)
    state = {name: _drawn(value, integers) for name, value in model.state_dict().items()}
    model.load_state_dict(state)
    rewritten.load_state_dict(state)
    if mode == "inference":
        model.eval()
        rewritten.eval()
    if hasattr(rewritten, "prepare"):
        rewritten.prepare()
    inputs = [_drawn(value, integers) if integers else value for value in task.get_inputs()]
    try:
        with torch.no_grad():
            return (model(*[value.clone() for value in inputs]),
                    rewritten(*[value.clone() for value in inputs]))
    finally:
        torch.set_default_dtype(torch.float32)


# What cuDNN does on a GPU, in TF32 by default; products of matrices are float32 by default.
_CUDNN_OP = re.compile(r"aten\.(conv.*|lstm|gru|rnn_tanh|rnn_relu)\.(default|input|data)")
_CUDNN_CALL = re.compile(r"(F\.conv\w+|torch\.(lstm|gru|rnn_tanh|rnn_relu))\(")


def cudnn_calls_made_of_products(exported, program_source):
    """Calls of a rewritten program that may be TF32 on a GPU, where nothing of the task may be."""
    if any(_CUDNN_OP.fullmatch(node["op"]) for node in exported["graph"]["nodes"]):
        return []
    return [found[0] for found in _CUDNN_CALL.finditer(program_source)]


def module_of(source):
    module = types.ModuleType("task")
    exec(compile(source, "<task>", "exec"), module.__dict__)
    return module


def _drawn(value, integers):
    """Another value in the place of a weight: positive, as variances must be."""
    if not value.is_floating_point():
        return value
    if integers:
        return torch.randint(1, 4, value.shape).to(value.dtype)
    return torch.rand_like(value) + 0.25


def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for item in value for leaf in leaves(item)]


def error(got, want):
    """The largest difference over the spread of what is wanted, or its size where it has none."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return float("inf")
    if got.numel() == 0 or torch.equal(got, want):
        return 0.0
    if not want.is_floating_point():
        return float("inf")
    scale = max(want.std(correction=0).item(), want.abs().max().item() * 1e-3, 1e-30)
    same = (got == want) | (got.isnan() & want.isnan())
    return torch.where(same, torch.zeros_like(want), (got - want).abs()).max().item() / scale
