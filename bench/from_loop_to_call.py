#!/usr/bin/env python3
"""From a user's loop to a judged call of a GPU program, step by step: what does each step cost?

    bench/from_loop_to_call.py [TASK.py CANDIDATE.py]... [--compiled TASK.py]... [--rounds 5]

One process calls the program in all ways in turn, and prints the median of each in us:

    loop      as bench/user_loop.py does: the level-2 cache emptied, the input cloned, wall time
    objects   fresh tensor objects for each call
    claim     by the clock of a host (python/cupel/host_clock.py) in place of wall time
    copied    outputs copied to a slot of their own after it, the end marked before
    called    called on another input before the cache is emptied
    waited    300 us of polling between the input and the call
    one core  the main thread bound to one core
    opened    the input enciphered before the cache is emptied, and opened right before the clock
    judged    all of these: as in a staged row (docs/timing.md)

"copied" is "claim" with one step more, and those behind it are "copied" with one step more each.
$CUPEL_PROBE names the probe library. Needs a GPU and torch.
"""

import argparse
import ctypes
import os
import statistics
import tempfile
import time
from pathlib import Path

import torch
from cupel.gpu_work import GpuWork
from cupel.host_clock import ProbeClock
from user_loop import compiled_source, fresh_inputs, made, warm

DEVICE = "cuda:0"
CALLS, WARM_CALLS = 40, 8  # of each way in a round; not counted before
POLLED_NS = 300_000
VECTOR_BYTES = 16  # of the cipher
WAYS = {"loop": (), "objects": ("objects",), "claim": ("claim",), "copied": ("copies",),
        "called": ("copies", "called"), "waited": ("copies", "waits"),
        "one core": ("copies", "bound"), "opened": ("copies", "opens"),
        "judged": ("copies", "called", "waits", "bound", "opens", "objects")}


def main():
    options = parse_arguments()
    clock = ProbeClock(os.environ["CUPEL_PROBE"], 0)
    pairs = list(zip(options.files[::2], options.files[1::2]))
    print(f"{'us':44}" + "".join(f"{way:>9}" for way in WAYS), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for task, file in pairs + [(task, None) for task in options.compiled]:
            source = file or compiled_source(task, Path(folder))
            name = file.stem if file else "torch.compile"
            for side, program in (("eager", task), (name, source)):
                caller = Caller(task, program, clock)
                times = {way: [] for way in WAYS}
                for _ in range(options.rounds):
                    for way, steps in WAYS.items():
                        times[way] += caller.times_us(steps)
                row = "".join(f"{statistics.median(each):9.1f}" for each in times.values())
                print(f"{task.stem[:24]:24} {side[:19]:19}{row}", flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="TASK.py CANDIDATE.py, in pairs")
    parser.add_argument("--compiled", type=Path, action="append", default=[])
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


class Caller:
    """One program, its inputs in turn."""

    def __init__(self, task, program, clock):
        module, self._instance = made(task, program, DEVICE)
        self._inputs = fresh_inputs(module, DEVICE, 16 << 20)
        self._key = (ctypes.c_uint32 * 8)(*range(8))
        self._clock, self._work, self._made = clock, GpuWork(DEVICE), 0
        warm(self._instance, self._inputs, torch.cuda.synchronize)
        result = self._instance(*self._inputs[0])
        self._results = [each.clone() for each in leaves_of(result)]
        self._cores = os.sched_getaffinity(0)

    def times_us(self, steps):
        """Of one way, after some that do not count."""
        if "bound" in steps:
            os.sched_setaffinity(0, {max(self._cores)})
        try:
            times = [self._time_ns(steps) / 1e3 for _ in range(WARM_CALLS + CALLS)]
        finally:
            os.sched_setaffinity(0, self._cores)
        return times[WARM_CALLS:]

    def _time_ns(self, steps):
        self._made += 1
        if "called" in steps:
            self._instance(*self._inputs[(self._made - 1) % len(self._inputs)])
        if "opens" in steps:
            arguments = self._arguments(steps)
            self._cipher(arguments)
        self._work.empty_cache()
        if "opens" not in steps:
            arguments = self._arguments(steps)
        torch.cuda.synchronize()
        if "waits" in steps:
            poll(POLLED_NS)
        if "opens" in steps:
            self._cipher(arguments)
        if "copies" in steps or "claim" in steps:
            program = self._copying if "copies" in steps else self._instance
            return self._clock.time(program, arguments)[1]
        begin = time.perf_counter_ns()
        self._instance(*arguments)
        torch.cuda.synchronize()
        return time.perf_counter_ns() - begin

    def _arguments(self, steps):
        arguments = [each.clone() for each in self._inputs[self._made % len(self._inputs)]]
        return [each.data for each in arguments] if "objects" in steps else arguments

    def _cipher(self, arguments):
        """Enciphers what is plain, and the other way round."""
        for each in arguments:
            size = each.numel() * each.element_size() // VECTOR_BYTES * VECTOR_BYTES
            self._clock.open_sealed(each.data_ptr(), size, ctypes.addressof(self._key))

    def _copying(self, *arguments):
        result = self._instance(*arguments)
        self._clock.returned()
        for slot, each in zip(self._results, leaves_of(result)):
            slot.copy_(each)
        return result


def leaves_of(result):
    return [each for each in torch.utils._pytree.tree_leaves(result) if torch.is_tensor(each)]


def poll(duration_ns):
    end = time.perf_counter_ns() + duration_ns
    while time.perf_counter_ns() < end:
        pass


if __name__ == "__main__":
    main()
