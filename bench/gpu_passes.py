#!/usr/bin/env python3
"""What comparing a large output on a GPU takes, in chunks by torch and in passes of Cupel's own.

    PYTHONPATH=python scripts/python.sh bench/gpu_passes.py [--elements 1e8,5e8] [--columns 512]

For each size, in one process, by turns: what is made of the oracle (`expected`), what the reference
is off by (`own`), a program's error (`error`); milliseconds, the least of --turns, and the ratio of
chunks to passes. The outputs are float32, the programs right. Needs a GPU.
"""

import argparse
import time
from unittest import mock

import torch

from cupel import gpu_passes
from cupel.compare import Comparer
from cupel.expected import Expected

ROWS_OF_A_SLICE = 256


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elements", default="4e6,3e7,1e8,5e8")
    parser.add_argument("--columns", type=int, default=512)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    started = time.perf_counter()
    if gpu_passes._kernels(torch.cuda.current_device()) is None:
        raise SystemExit("the passes do not compile here: is there an NVRTC?")
    print(f"compiled in {time.perf_counter() - started:.2f} s")
    print(f"{'elements':>12} {'what':>9} {'chunks':>9} {'passes':>9} {'ratio':>6}")
    for elements in map(float, options.elements.split(",")):
        slices = max(1, int(elements) // (ROWS_OF_A_SLICE * options.columns))
        show((slices, ROWS_OF_A_SLICE, options.columns), options.turns)


def show(shape, turns):
    want = torch.randn(shape, dtype=torch.float64, device="cuda")
    least = {}
    for _ in range(turns):
        for way in ("chunks", "passes"):
            with mock.patch.object(gpu_passes, "LEAST", 0 if way == "passes" else 1 << 62):
                for what, seconds in steps(want):
                    least[what, way] = min(seconds, least.get((what, way), seconds))
    for what in ("expected", "own", "error"):
        chunks, passes = (1e3 * least[what, way] for way in ("chunks", "passes"))
        print(f"{want.numel():12} {what:>9} {chunks:9.2f} {passes:9.2f} {chunks / passes:6.1f}",
              flush=True)


def steps(want):
    """(name, seconds) of each."""
    comparer, own = Comparer(want.device.type), want.float()
    expected, seconds = timed(lambda: Expected(want, torch.float32))
    yield "expected", seconds
    yield "own", timed(lambda: comparer.own_error(own, expected))[1]
    got = own * (1 + 2.0 ** -23)
    yield "error", timed(lambda: comparer.leaf_error(got, expected))[1]


def timed(work):
    torch.cuda.synchronize()
    started = time.perf_counter()
    result = work()
    torch.cuda.synchronize()
    return result, time.perf_counter() - started


if __name__ == "__main__":
    main()
