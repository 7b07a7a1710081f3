#!/usr/bin/env python3
"""What another process does on a GPU between two calls of this one, and what it costs the call.

    bench/contexts.py [--calls 120]

Two processes on cores of their own take turns. The other one does one thing on the GPU, and waits
for it, so that 400 us pass. Then this one calls a small program and waits for the GPU. Prints for
each thing and program the median wall time of a call with its quartiles, and how long the other
process took, in us. Contexts share a GPU by taking turns: what needs its processors makes it change
contexts twice, what an engine for copies does alone needs none. Needs a GPU and torch.
"""

import argparse
import mmap
import os
import statistics
import struct
import subprocess
import sys
import time

import torch

ACTIONS = ["nothing", "copy 4 MiB from pinned memory", "copy 64 KiB within", "copy 4 MiB within",
           "fill 4 MiB", "run a kernel"]
PAGE = "/dev/shm/cupel-bench-contexts"
MIB = 1 << 20
APART_S = 400e-6
HERS, MINE, OVER = 1, 2, 255  # whose turn it is


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=120)
    parser.add_argument("--other", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.other is not None:
        return be_the_other(options.other)
    with open(PAGE, "wb") as file:
        file.write(bytes(mmap.PAGESIZE))
    page, cores = page_of(), sorted(os.sched_getaffinity(0))
    other = subprocess.Popen([sys.executable, __file__, "--other", str(cores[-1])])
    os.sched_setaffinity(0, {cores[0]})
    try:
        programs = programs_of()
        wait_for(page, MINE)
        for index, action in enumerate(ACTIONS):
            for name, program in programs.items():
                print(line_of(action, name, *times_of(page, index, program, options.calls)),
                      flush=True)
    finally:
        page[0] = OVER
        other.wait()
        os.unlink(PAGE)


def page_of():
    with open(PAGE, "r+b") as file:
        return mmap.mmap(file.fileno(), mmap.PAGESIZE)


def wait_for(page, turn):
    while page[0] != turn:
        if page[0] == OVER:
            sys.exit(None if turn == HERS else "the other process has ended")


def programs_of():
    x, w = (torch.randn(1024, 1024, device="cuda") for _ in range(2))
    compiled = torch.compile(lambda x: torch.softmax(x * 2 + 1, -1).sum(-1))
    programs = {"softmax": lambda: torch.softmax(x, -1),
                "five operations": lambda: torch.relu((x * 2 + 1).softmax(-1)).sum(-1),
                "product": lambda: x @ w, "torch.compile": lambda: compiled(x)}
    for program in programs.values():
        for _ in range(20):
            program()
    torch.cuda.synchronize()
    return programs


def times_of(page, action, program, calls):
    """Seconds of each call, and of what the other process did before it."""
    times, others = [], []
    page[1] = action
    for _ in range(calls):
        page[0] = HERS
        wait_for(page, MINE)
        others.append(struct.unpack("d", page[8:16])[0])
        start = time.perf_counter()
        program()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    settled = calls // 6
    return times[settled:], others[settled:]


def line_of(action, name, times, others):
    low, middle, high = (1e6 * each for each in statistics.quantiles(times, n=4))
    return (f"{action:30} {name:16} {middle:7.1f} [{low:.1f}, {high:.1f}] us, "
            f"the other {1e6 * statistics.median(others):.1f} us")


def be_the_other(core):
    os.sched_setaffinity(0, {core})
    page = page_of()
    try:
        take_turns(page)
    finally:
        page[0] = OVER


def take_turns(page):
    stream, act = torch.cuda.Stream(), actions()
    page[0] = MINE
    while True:
        wait_for(page, HERS)
        start = time.perf_counter()
        with torch.cuda.stream(stream):
            act[page[1]]()
        stream.synchronize()
        page[8:16] = struct.pack("d", time.perf_counter() - start)
        while time.perf_counter() - start < APART_S:
            pass
        page[0] = MINE


def actions():
    """Functions, as ACTIONS names them."""
    pinned = torch.empty(4 * MIB, dtype=torch.uint8).pin_memory()
    one, two = (torch.zeros(4 * MIB, dtype=torch.uint8, device="cuda") for _ in range(2))
    torch.cuda.synchronize()
    small = MIB // 16
    return [lambda: None, lambda: one.copy_(pinned, non_blocking=True),
            lambda: two[:small].copy_(one[:small], non_blocking=True),
            lambda: two.copy_(one, non_blocking=True), one.zero_, lambda: one[:1024].add_(1)]


if __name__ == "__main__":
    main()
