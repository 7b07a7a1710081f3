"""What the tests on a machine with a GPU share: skipping elsewhere, the binary, spin kernels."""

import ctypes
import json
import os
import pathlib
import subprocess
import tempfile
import types
import unittest

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("CUPEL_BINARY", ROOT / "build" / "cupel"))
PROBE = BINARY.parent / "libcupel_probe.so"
JUDGE_SECONDS_MAX = 300

needs_gpu = unittest.skipUnless(torch.cuda.is_available(), "no GPU, or a torch without CUDA")
needs_binary = unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")


def programs_of(task, *options):
    """What `cupel rewrite` makes of a task file: documents with "name" and "source"."""
    said = subprocess.run([BINARY, "rewrite", task, "--json", *options], capture_output=True,
                          text=True, timeout=JUDGE_SECONDS_MAX, check=True)
    return json.loads(said.stdout)["programs"]


def module_of(source):
    module = types.ModuleType("program")
    exec(compile(source, "<program>", "exec"), module.__dict__)
    return module


# Spins until the GPU's nanosecond clock has moved on by `ns`: a kernel of known duration.
_SPIN_PTX = b"""
.version 6.0
.target sm_60
.address_size 64
.visible .entry spin(.param .u64 ns)
{
  .reg .pred %p<2>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [ns];
  mov.u64 %rd2, %globaltimer;
  add.u64 %rd3, %rd2, %rd1;
again:
  mov.u64 %rd4, %globaltimer;
  setp.lt.u64 %p1, %rd4, %rd3;
  @%p1 bra again;
  ret;
}
"""


class Spinner:
    """Launches one-thread kernels that take a known time."""

    def __init__(self):
        torch.cuda.init()
        torch.zeros(1, device="cuda")
        self._driver = ctypes.CDLL("libcuda.so.1")
        module, self._function = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), _SPIN_PTX)
        self._call("cuModuleGetFunction", ctypes.byref(self._function), module, b"spin")

    def __call__(self, ns, stream=None):
        """Queues a kernel of `ns` nanoseconds on a torch stream, the current one by default."""
        stream = stream or torch.cuda.current_stream()
        duration = ctypes.c_uint64(ns)
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(duration))
        self._call("cuLaunchKernel", self._function, 1, 1, 1, 1, 1, 1, 0,
                   ctypes.c_void_p(stream.cuda_stream), arguments, None)

    def _call(self, name, *arguments):
        code = getattr(self._driver, name)(*arguments)
        if code:
            raise RuntimeError(f"{name}: CUDA error {code}")


def cupel(*arguments):
    """Runs the binary; returns the finished process."""
    environment = dict(os.environ, CUPEL_HOME=str(ROOT))
    return subprocess.run([str(BINARY), *map(str, arguments)], capture_output=True, text=True,
                          env=environment, timeout=JUDGE_SECONDS_MAX, check=False)


def judge(task, source, *options):
    """The JSON document of a verdict on `source` (a candidate's text) on the GPU."""
    with tempfile.TemporaryDirectory() as directory:
        candidate = pathlib.Path(directory, "candidate.py")
        candidate.write_text(source, encoding="utf-8")
        done = cupel("judge", task, candidate, "--device", "cuda", "--json", "--quiet", *options)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        document = {}
    if "verdict" not in document:
        raise AssertionError(f"no verdict: {done.stdout}\n{done.stderr}")
    return document


def task_source(name):
    """The text of a shipped task as a candidate: its Model is the ModelNew."""
    text = (ROOT / "tasks" / f"{name}.py").read_text(encoding="utf-8")
    return text.replace("class Model(", "class ModelNew(")
