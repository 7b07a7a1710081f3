#!/usr/bin/env python3
"""Does a user get the ratio that Cupel tells? Each program in a plain warm loop, and judged.

    bench/user_loop.py [TASK.py CANDIDATE.py]... [--device cuda] [--compiled TASK.py]...
    bench/user_loop.py                          the shipped winners, torch.compile on some tasks

A loop is what its user would write: one process a program, fresh inputs in turn (as many as make
64 MiB, between 4 and 1024), outputs dropped. `latency` is the median wall time of one call, from
when its input lies there to when its output can be read, on a GPU with its level-2 cache emptied
before the input is written (--warm-cache leaves it as it comes); `throughput` the time per call of
many, between two synchronizations. --other-work copies as many bytes before each latency call as
its inputs and outputs have, as the layers around it would in a model; on a CPU the judge's own
copies do as much. Processes of the reference and the candidate take turns (--turns of each), so
that ratios are those of medians over processes. The environment is that of Cupel's hosts (jemalloc
that keeps what is freed, OpenMP's threads bound); --plain leaves it as it is.

Prints for each pair the ratios by loop and by `cupel judge`, and how far they are apart; at the end
how many are within 10 %, and the median distance. Without a GPU it needs a quiet machine. Standard
library and torch; $CUPEL_BINARY names the binary.
"""

import argparse
import glob
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INPUT_BYTES, INPUTS_MIN, INPUTS_MAX = 64 << 20, 4, 1024
WARM_S, TIMED_S, CALLS_MIN, CALLS_MAX = 0.4, 0.6, 30, 20000
CALLS_BETWEEN = 16  # of a throughput sample, between two synchronizations
COMPILED = """import torch
from task_of_compiled import Model

class ModelNew(torch.nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.model = Model(*arguments)
        self.compiled = torch.compile(self.model)

    def forward(self, *inputs):
        return self.compiled(*inputs)
"""


def main():
    options = parse_arguments()
    if options.child:
        print(json.dumps(measure(*options.child, options)))
        return
    rows = []
    print(f"{'':34} {'eager':>9} {'loop':>7} {'judged':>7} {'off':>6} {'loop':>7} {'judged':>7} "
          f"{'off':>6}\n{'':34} {'latency':>9} {'latency':>22} {'throughput':>22}", flush=True)
    for task, candidate in pairs_of(options):
        row = compare(task, candidate, options)
        rows.append(row)
        print(line_of(row), flush=True)
        if options.log:
            with options.log.open("a") as log:
                log.write(json.dumps(row) + "\n")
    for kind in ("latency", "throughput"):
        print(summary_of(rows, kind))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="TASK.py CANDIDATE.py, in pairs")
    parser.add_argument("--compiled", type=Path, action="append", default=[],
                        help="a task, with torch.compile as its candidate")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--turns", type=int, default=2, help="processes of each program")
    parser.add_argument("--plain", action="store_true", help="the environment as it is")
    parser.add_argument("--warm-cache", action="store_true",
                        help="latency with a GPU's level-2 cache as it comes")
    parser.add_argument("--other-work", action="store_true",
                        help="copy as many bytes between latency calls as inputs and outputs have")
    parser.add_argument("--no-judge", action="store_true", help="loops alone")
    parser.add_argument("--log", type=Path, help="JSON lines to append to")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def pairs_of(options):
    pairs = list(zip(options.files[::2], options.files[1::2]))
    if not pairs and not options.compiled:
        winners = sorted((ROOT / "tasks/winners").glob("*.py"))
        pairs = [(ROOT / "tasks" / winner.name, winner) for winner in winners]
        options.compiled = [ROOT / f"tasks/{name}.py" for name in ("bias_swish_clamp", "rms_norm")]
    return pairs + [(task, None) for task in options.compiled]


def compare(task, candidate, options):
    """One row: times in milliseconds, ratios."""
    with tempfile.TemporaryDirectory() as folder:
        source = candidate or compiled_source(task, Path(folder))
        sides = {"Model": [], "ModelNew": []}
        for turn in range(2 * options.turns):
            side = list(sides)[turn % 2]
            file = task if side == "Model" else source
            sides[side].append(loop(task, file, options))
        name = f"{task.stem} {candidate.stem if candidate else 'torch.compile'}"
        row = {"name": name, "device": options.device}
        for kind in ("latency", "throughput"):
            eager, new = (statistics.median(each[kind] for each in sides[side]) for side in sides)
            row[kind] = {"eager_ms": eager, "loop": eager / new}
        if not options.no_judge:
            judge(task, source, options, row)
    return row


def compiled_source(task, folder):
    """torch.compile of the task's Model, as a candidate that stands alone."""
    path = folder / "compiled.py"
    task_text = task.read_text()
    path.write_text(task_text + COMPILED.replace("from task_of_compiled import Model\n", ""))
    return path


def loop(task, file, options):
    command = [str(ROOT / "scripts/python.sh"), __file__, "--child", str(task), str(file)]
    command += ["--device", options.device] + ["--warm-cache"] * options.warm_cache
    command += ["--other-work"] * options.other_work
    environment = dict(os.environ) if options.plain else host_environment(options.device)
    environment["PYTHONPATH"] = str(ROOT / "python")
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def host_environment(device):
    """What src/measure/jail/host_jail.cpp sets."""
    threads = str(len(os.sched_getaffinity(0)))
    environment = dict(os.environ, OMP_NUM_THREADS=threads, MKL_NUM_THREADS=threads,
                       OMP_PROC_BIND="true" if device == "cpu" else "false")
    allocators = glob.glob("/usr/lib/*/libjemalloc.so.2") + [str(ROOT / "lib/libjemalloc.so.2")]
    allocators = [path for path in allocators if os.path.exists(path)]
    if allocators:
        environment.update(LD_PRELOAD=allocators[0],
                           MALLOC_CONF="dirty_decay_ms:-1,muzzy_decay_ms:-1")
    return environment


def judge(task, source, options, row):
    binary = os.environ.get("CUPEL_BINARY", str(ROOT / "build/cupel"))
    done = subprocess.run([binary, "judge", str(task), str(source), "--device", options.device,
                           "--json"], stdout=subprocess.PIPE, text=True)
    verdict = json.loads(done.stdout.splitlines()[-1]).get("verdict", {})
    row["outcome"] = verdict.get("outcome", "error")
    row["reasons"] = [reason["code"] for reason in verdict.get("reasons", [])]
    for kind, key in (("latency", "ratios"), ("throughput", "other_ratios")):
        ratios = verdict.get(key) or []
        if ratios:
            row[kind]["judged"] = ratios[0]["ratio"]
            row[kind]["interval"] = [ratios[0]["low"], ratios[0]["high"]]


def off(row, kind):
    """How far apart, as a share; None without a ratio."""
    return row[kind]["judged"] / row[kind]["loop"] - 1 if "judged" in row[kind] else None


def line_of(row):
    text = f"{row['name'][:34]:34} {row['latency']['eager_ms']:9.4f}"
    for kind in ("latency", "throughput"):
        share = off(row, kind)
        text += f" {row[kind]['loop']:7.3f}"
        text += " " * 15 if share is None else f" {row[kind]['judged']:7.3f} {share:+6.1%}"
    return f"{text} {row.get('outcome', '')}"


def summary_of(rows, kind):
    shares = [abs(share) for row in rows if (share := off(row, kind)) is not None]
    if not shares:
        return f"{kind}: not judged"
    within = sum(share <= 0.1 for share in shares)
    return (f"{kind}: {within} of {len(shares)} within 10 % of the loop, "
            f"median {statistics.median(shares):.1%} off")


def measure(task, file, options):
    """In a process of its own: {"latency", "throughput"} of the program in `file`, in ms."""
    import torch
    device = options.device
    torch.set_grad_enabled(False)
    module, program = module_of(task, "task"), module_of(file, "program")
    cls = getattr(program, "ModelNew" if file != task else "Model")
    torch.manual_seed(7)
    instance = cls(*module.get_init_inputs()).to(device)
    if hasattr(instance, "prepare"):
        instance.prepare()
    inputs = fresh_inputs(module, device)
    synchronize = torch.cuda.synchronize if device != "cpu" else lambda: None
    warm(instance, inputs, synchronize)
    given = list
    if options.other_work:
        given = other_work(inputs[0], instance(*inputs[0]))
    elif device != "cpu" and not options.warm_cache:
        given = emptying(device)
    return {"latency": latency_ms(instance, inputs, synchronize, given),
            "throughput": throughput_ms(instance, inputs, synchronize)}


def module_of(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def fresh_inputs(module, device):
    import torch
    first = module.get_inputs()
    size = sum(each.numel() * each.element_size() for each in first if torch.is_tensor(each))
    count = max(INPUTS_MIN, min(INPUTS_MAX, INPUT_BYTES // max(1, size)))
    sets = [first] + [module.get_inputs() for _ in range(count - 1)]
    return [[each.to(device) if torch.is_tensor(each) else each for each in one] for one in sets]


def warm(instance, inputs, synchronize):
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < WARM_S or calls < CALLS_MIN:
        instance(*inputs[calls % len(inputs)])
        synchronize()
        calls += 1


def emptying(device):
    """A function that fills the GPU's level-2 cache with something else, as the judge does, before
    it writes a call's arguments, as whatever comes before the call would."""
    import torch
    size = 2 * torch.cuda.get_device_properties(device).L2_cache_size
    other = torch.zeros(size // 4, dtype=torch.int32, device=device)

    def given(arguments):
        other.add_(1)
        arguments = [each.clone() if torch.is_tensor(each) else each for each in arguments]
        torch.cuda.synchronize()
        return arguments
    return given


def other_work(inputs, outputs):
    """A function that reads and writes as many bytes as a call's inputs and outputs have."""
    import torch
    tensors = [each for each in torch.utils._pytree.tree_leaves((inputs, outputs))
               if torch.is_tensor(each)]
    pairs = [(torch.empty_like(each), each.clone()) for each in tensors]

    def given(arguments):
        for to, other in pairs:
            to.copy_(other)
        if tensors[0].is_cuda:
            torch.cuda.synchronize()
        return arguments
    return given


def latency_ms(instance, inputs, synchronize, given):
    """given(arguments): what a call is given, after whatever comes between two calls."""
    times, start = [], time.perf_counter()
    while len(times) < CALLS_MAX:
        arguments = given(inputs[len(times) % len(inputs)])
        begin = time.perf_counter_ns()
        instance(*arguments)
        synchronize()
        times.append(time.perf_counter_ns() - begin)
        if time.perf_counter() - start > TIMED_S and len(times) >= CALLS_MIN:
            break
    return statistics.median(times) / 1e6


def throughput_ms(instance, inputs, synchronize):
    times, start = [], time.perf_counter()
    while len(times) < CALLS_MIN // 3 or time.perf_counter() - start < TIMED_S:
        begin = time.perf_counter_ns()
        for i in range(CALLS_BETWEEN):
            instance(*inputs[i % len(inputs)])
        synchronize()
        times.append((time.perf_counter_ns() - begin) / CALLS_BETWEEN)
    return statistics.median(times) / 1e6


if __name__ == "__main__":
    main()
