"""Orders for cupel.shipping, of task and winner texts that tests write."""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


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
