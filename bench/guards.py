#!/usr/bin/env python3
"""What the guards of a shipped package cost a call, on the CPU.

    scripts/python.sh bench/guards.py [--beside OTHER/python]

Ships a package of a module whose winner does the same, and times calls in turn: of the original and
of the replaced module, by place and by name. --beside names the directory python/ of another
checkout: its package is timed in the same rows. Of a module with one layer and of one with seven,
a weight and a bias each. Microseconds a call, medians of rows; `guards`: over the original. `cold`:
the same of single calls after a walk through more memory than a core caches, as kernels do.
Needs torch.
"""

import argparse
import contextlib
import importlib
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent
ROWS = 400
CALLS = 50  # of a row, one after another
WALKED_BYTES = 8 << 20  # more than a core's own caches
PACKAGE = "fast_guarded"

TASK = '''
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self, layers, width):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))

    def forward(self, x, scale=2.0):
        return x * scale

def get_inputs():
    return [torch.randn(4, 8)]

def get_init_inputs():
    return [%d, 8]
'''
WINNER = TASK.split("def get_inputs")[0] + '''
class ModelNew(Model):
    pass
'''
MODULES = {"two weights": 1, "fourteen weights": 7}


def shipped(python, folder, name, layers):
    """The package of one task, imported. `python`: the directory that holds cupel."""
    run = {"task": {"id": "0" * 64, "name": name, "path": "", "module": "", "source": TASK % layers,
                    "import_root": "", "settings": {}},
           "winner": {"id": "1" * 64, "label": "winner", "source": WINNER},
           "verdict": {"ratios": [{"ratio": 2.0, "low": 1.9, "high": 2.1}]},
           "options": {"device": "cpu", "policy": "eager", "threads": 0},
           "machine": {"device": "", "torch": ""}, "seed": 3, "shown_inputs": name,
           "tolerance": {"error_max": [1e-4], "mismatched_max": [0]}}
    out = folder / name
    out.mkdir()
    order = {"out": str(out), "name": name, "cupel": "bench", "runs": [run],
             "environment": {"PATH": os.environ["PATH"], "HOME": str(folder)}}
    done = subprocess.run([sys.executable, "-m", "cupel.shipping"], input=json.dumps(order),
                          env={**os.environ, "PYTHONPATH": str(python)}, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stdout[-2000:] + done.stderr[-2000:])
    sys.path.insert(0, str(out))
    return importlib.import_module(name)


def microseconds(call):
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return 1e6 * (time.perf_counter() - start) / CALLS


def cold_microseconds(call, walked):
    walked.add_(1)
    start = time.perf_counter()
    call()
    return 1e6 * (time.perf_counter() - start)


def callers(packages, layers):
    """{what: a call}; the original and, of each package, its replaced module."""
    namespace = {}
    exec(TASK % layers, namespace)
    x = torch.randn(4, 8)
    found = {"original": lambda model=namespace["Model"](layers, 8): model(x)}
    for what, package in packages.items():
        original = package_original(package)
        with contextlib.redirect_stdout(io.StringIO()):
            package.apply(original, trust={"machine", "torch"})
        if not package.why(original, x).startswith("the winner answers"):
            raise SystemExit(f"{what}: {package.why(original, x)}")
        found[what] = lambda model=original: model(x)
        found[what + ", by name"] = lambda model=original: model(x=x)
    return found


def package_original(package):
    """A module as the package's entry was measured on."""
    sources = importlib.import_module(f"{package.__name__}.sources")
    manifest = importlib.import_module(f"{package.__name__}.manifest")
    original = next(iter(manifest.ORIGINALS.values()))
    return sources.constructed(sources.original_class(original), sources.init_of(original))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--beside", type=Path, help="python/ of another checkout")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    roots = {"here": ROOT / "python", **({"beside": arguments.beside} if arguments.beside else {})}
    print(f"{'module':<18} {'call':<18} {'us a call':>9} {'guards':>8} {'cold':>9} {'guards':>8}")
    walked = torch.zeros(WALKED_BYTES // 4)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        for number, (module, layers) in enumerate(MODULES.items()):
            packages = {what: shipped(root, Path(folder), f"{PACKAGE}_{what}_{number}", layers)
                        for what, root in roots.items()}
            calls = callers(packages, layers)
            times = {what: ([], []) for what in calls}
            for _ in range(ROWS):
                for what, call in calls.items():
                    times[what][0].append(microseconds(call))
                    times[what][1].append(cold_microseconds(call, walked))
            plain = [statistics.median(row) for row in times["original"]]
            for what, rows in times.items():
                cells = [text for row, less in zip(rows, plain)
                         for text in (f"{statistics.median(row):9.2f}",
                                      f"{statistics.median(row) - less:8.2f}")]
                print(f"{module:<18} {what:<18} {' '.join(cells)}")


if __name__ == "__main__":
    main()
