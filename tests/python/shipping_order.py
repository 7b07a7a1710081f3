"""Orders for cupel.shipping, of task and winner texts that tests write; and such texts."""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

DENSE = '''
import torch
from torch import nn

class Part(nn.Module):
    def __init__(self, width, slope=0.1):
        super().__init__()
        self.inner = nn.Linear(width, width)
        self.slope = slope

    def forward(self, x):
        return nn.functional.leaky_relu(self.inner(x), self.slope)

class Model(nn.Module):
    def __init__(self, width, slope=0.1):
        super().__init__()
        self.one, self.two = Part(width, slope), Part(width, slope)

    def forward(self, x, scale=1.0):
        return {"y": self.two(self.one(x)) * scale}

def get_inputs():
    return [torch.randn(6, 16)]

def get_init_inputs():
    return [16]
'''
# Keeps its weights transposed, and writes into its own ones.
DENSE_WINNER = DENSE.split("def get_inputs")[0] + '''
class ModelNew(Model):
    def prepare(self):
        self.turned = [p.inner.weight.t().contiguous() for p in (self.one, self.two)]
        for part in (self.one, self.two):
            part.inner.weight.zero_()

    def forward(self, x, scale=1.0):
        for part, turned in zip((self.one, self.two), self.turned):
            x = nn.functional.leaky_relu(torch.addmm(part.inner.bias, x, turned), part.slope)
        return (x * scale,)
'''
# As a task is captured: the user's class, called with tensors alone.
USERS = '''
import dataclasses
import torch
from torch import nn

@dataclasses.dataclass
class Answer:
    hidden: torch.Tensor
    note: str = "plain"
    extra: object = None

class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width))

    def forward(self, hidden, mask=None, *, power=2):
        out = hidden * torch.sigmoid(self.weight) ** power
        return Answer(out if mask is None else out * mask)
'''
CAPTURED = USERS + '''
class Model(Gate):
    def __init__(self):
        super().__init__(24)
        self.eval()

    def forward(self, x0, x1):
        out = super().forward(x1, mask=x0, power=3)
        return {"hidden": out.hidden}

def get_inputs():
    return [torch.rand(5, 1), torch.randn(5, 24)]
'''
CAPTURED_WINNER = '''
import torch

class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(24))

    def forward(self, mask, hidden):
        return (hidden * (mask * torch.sigmoid(self.weight).pow(3)),)
'''


def run_of(name, task, winner, import_root="", error_max=1e-4):
    """What `cupel ship` tells of a run (src/ship/order.cpp)."""
    return {
        "task": {"id": "0" * 64, "name": name, "path": "", "module": "", "source": task,
                 "import_root": import_root, "settings": {}},
        "winner": {"id": hashlib.sha256(winner.encode()).hexdigest(), "label": f"{name} winner",
                   "source": winner},
        "verdict": {"ratios": [{"ratio": 2.0, "low": 1.9, "high": 2.1}]},
        "options": {"device": "cpu", "policy": "eager", "threads": 0},
        "machine": {"device": "", "torch": ""}, "seed": 3, "shown_inputs": name,
        "tolerance": {"error_max": [error_max] * 4, "mismatched_max": [0] * 4}}


def ship(out, name, runs):
    """(exit code, what cupel.shipping answered)."""
    os.makedirs(out, exist_ok=True)
    order = {"out": str(out), "name": name, "cupel": "test", "runs": runs,
             "environment": {"PATH": os.environ["PATH"], "HOME": str(out)}}
    done = subprocess.run([sys.executable, "-m", "cupel.shipping"], input=json.dumps(order),
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
                          capture_output=True, text=True, timeout=550, check=False)
    lines = done.stdout.strip().splitlines()
    if not lines:
        raise AssertionError(done.stderr)
    return done.returncode, json.loads(lines[-1])


def shipped_task(name):
    """(task's text, winner's text) of one that comes with Cupel."""
    return ((ROOT / f"tasks/{name}.py").read_text(encoding="utf-8"),
            (ROOT / f"tasks/winners/{name}.py").read_text(encoding="utf-8"))


@contextlib.contextmanager
def silence():
    with contextlib.redirect_stdout(io.StringIO()) as said:
        yield said
