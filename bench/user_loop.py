#!/usr/bin/env python3
"""Does a user get the ratio that Cupel tells? Each program in a plain warm loop, and judged.

    bench/user_loop.py [TASK.py CANDIDATE.py]... [--device cuda] [--compiled TASK.py]...
    bench/user_loop.py                          the shipped winners, torch.compile on some tasks

A loop is what its user would write: one process a program, fresh inputs in turn (as many as make
16 MiB, between 4 and 1024), outputs dropped. `latency` is the median wall time of one call, from
when its input lies there to when its output can be read. The input has just been written, as by
the layer before; on a GPU its level-2 cache is emptied before that (--warm-cache leaves it as it
comes). `throughput` is the time per call of many, between two synchronizations, on inputs in turn.
--other-work copies as many bytes before each latency call as its inputs and outputs have, as the
layers around it would in a model; on a CPU the judge's own copies do as much. --input-mib 64 makes
programs wait for memory where a machine's cores share a smaller cache. The environment is that of
Cupel's hosts (jemalloc that keeps what is freed, OpenMP's threads bound); --plain leaves it.

A turn is a process of the reference, one of the candidate (--loops N: N of each, in turn), and a
judgement. Machines change from minute to minute, and processes differ. So the ratios of a turn are
set against each other, and the medians over --turns are told, with the quartiles of the loop's own
ratios as its spread.

Prints for each pair the ratios by loop and by `cupel judge`, how far they are apart, and the
latencies behind them; at the end how many are within 10 %, and the median distance. On a GPU
several may run at once, each on cores of its own (taskset). Else it needs a quiet machine.
Standard library and torch; $CUPEL_BINARY names the binary.
"""

import argparse
import contextlib
import fcntl
import glob
import importlib.util
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INPUTS_MIN, INPUTS_MAX = 4, 1024
WARM_S, TIMED_S, CALLS_MIN, CALLS_MAX = 0.4, 0.6, 30, 20000
KINDS = ("latency", "throughput")
CALLS_BETWEEN = 16  # of a throughput sample, between two synchronizations
COMPILED = """

import torch
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
    columns = f"{'loop':>7} {'spread':>6} {'judged':>7} {'off':>6}"
    sides = f"{'eager':>8} {'new':>8}"
    print(f"{'':34} {columns} {columns} {sides} {sides}\n"
          f"{'':34} {'latency':>29} {'throughput':>29} {'loop, ms':>17} {'judged, ms':>17}",
          flush=True)
    for task, candidate in pairs_of(options):
        row = compare(task, candidate, options)
        rows.append(row)
        print(line_of(row), flush=True)
        if options.log:
            with options.log.open("a") as log:
                log.write(json.dumps(row) + "\n")
    for kind in KINDS:
        print(summary_of(rows, kind))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="TASK.py CANDIDATE.py, in pairs")
    parser.add_argument("--compiled", type=Path, action="append", default=[],
                        help="a task, with torch.compile as its candidate")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--turns", type=int, default=3, help="loops and judgements of a pair")
    parser.add_argument("--loops", type=int, default=1,
                        help="processes of each program in a turn, whose medians count")
    parser.add_argument("--plain", action="store_true", help="the environment as it is")
    parser.add_argument("--warm-cache", action="store_true",
                        help="latency with a GPU's level-2 cache as it comes")
    parser.add_argument("--other-work", action="store_true",
                        help="copy as many bytes between latency calls as inputs and outputs have")
    parser.add_argument("--input-mib", type=int, default=16, help="MiB of all inputs in turn")
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
        turns = [turn_of(task, source, options) for _ in range(options.turns)]
    row = {"name": f"{task.stem} {candidate.stem if candidate else 'torch.compile'}",
           "device": options.device, "turns": turns,
           "outcome": " ".join(sorted({turn["outcome"] for turn in turns if "outcome" in turn}))}
    for kind in KINDS:
        loops = [turn["loop"][kind] for turn in turns]
        row[kind] = {"loop": statistics.median(loops), "spread": spread_of(loops),
                     "loop_ms": medians_of([turn["loop_ms"][kind] for turn in turns])}
        judged = [turn for turn in turns if kind in turn.get("judged", {})]
        if judged:
            row[kind]["judged"] = statistics.median(turn["judged"][kind] for turn in judged)
            row[kind]["judged_ms"] = medians_of([turn["judged_ms"][kind] for turn in judged])
            row[kind]["off"] = statistics.median(turn["judged"][kind] / turn["loop"][kind]
                                                 for turn in judged) - 1
    return row


def medians_of(times):
    """Of a list of {"eager", "new"}: each one's median."""
    return {side: statistics.median(each[side] for each in times) for side in ("eager", "new")}


def spread_of(ratios):
    """Half of what lies between the quartiles, as a share of the median."""
    if len(ratios) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return (high - low) / 2 / middle


def turn_of(task, source, options):
    loops = {"eager": [], "new": []}
    for _ in range(options.loops):
        for side, file in (("eager", task), ("new", source)):
            loops[side].append(loop(task, file, options))
    sides = {side: {kind: statistics.median(each[kind] for each in own) for kind in KINDS}
             for side, own in loops.items()}
    turn = {"loop_ms": {kind: {side: sides[side][kind] for side in sides} for kind in KINDS},
            "loop": {kind: sides["eager"][kind] / sides["new"][kind] for kind in KINDS}}
    if not options.no_judge:
        turn.update(judgement(task, source, options))
    return turn


def compiled_source(task, folder):
    """torch.compile of the task's Model, as a candidate that stands alone."""
    path = folder / "compiled.py"
    task_text = task.read_text()
    path.write_text(task_text + COMPILED.replace("from task_of_compiled import Model\n", ""))
    return path


def loop(task, file, options):
    command = [str(ROOT / "scripts/python.sh"), __file__, "--child", str(task), str(file)]
    command += ["--device", options.device] + ["--warm-cache"] * options.warm_cache
    command += ["--other-work"] * options.other_work + ["--input-mib", str(options.input_mib)]
    environment = dict(os.environ) if options.plain else host_environment(options.device)
    environment["PYTHONPATH"] = str(ROOT / "python")
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def host_environment(device):
    """What src/measure/jail/host_jail.cpp sets, and python_environment.h for the allocator."""
    threads = str(len(os.sched_getaffinity(0)))
    environment = dict(os.environ, OMP_NUM_THREADS=threads, MKL_NUM_THREADS=threads,
                       OMP_PROC_BIND="true" if device == "cpu" else "false")
    allocators = glob.glob("/usr/lib/*/libjemalloc.so.2") + [str(ROOT / "lib/libjemalloc.so.2")]
    allocators = [path for path in allocators if os.path.exists(path)]
    if allocators:
        environment.update(LD_PRELOAD=allocators[0],
                           MALLOC_CONF="dirty_decay_ms:-1,muzzy_decay_ms:-1,"
                                       "lg_extent_max_active_fit:63")
    return environment


def verdict_of(task, source, options):
    """What `cupel judge --json` prints: a document with a verdict, or with an error."""
    binary = os.environ.get("CUPEL_BINARY", str(ROOT / "build/cupel"))
    done = subprocess.run([binary, "judge", str(task), str(source), "--device", options.device,
                           "--json"], stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def judgement(task, source, options):
    document = verdict_of(task, source, options)
    verdict = document.get("verdict", {})
    ratios = {kind: verdict[key][0] for kind, key in
              (("latency", "ratios"), ("throughput", "other_ratios")) if verdict.get(key)}
    return {"outcome": verdict.get("outcome", "error"),
            "reasons": [reason["code"] for reason in verdict.get("reasons", [])],
            "judged": {kind: ratio["ratio"] for kind, ratio in ratios.items()},
            "intervals": {kind: [ratio["low"], ratio["high"]] for kind, ratio in ratios.items()},
            "judged_ms": {kind: both_ms(ratio) for kind, ratio in ratios.items()},
            "device_ms": [both_ms(ratio) for ratio in verdict.get("device_ratios", [])[:1]],
            "staged_calls_max": document.get("staged_calls_max", 0)}


def both_ms(ratio):
    return {"eager": ratio["over_ms"], "new": ratio["candidate_ms"]}


def line_of(row):
    text = f"{row['name'][:34]:34}"
    for kind in KINDS:
        of_kind = row[kind]
        text += f" {of_kind['loop']:7.3f} {of_kind['spread']:6.1%}"
        text += (f" {of_kind['judged']:7.3f} {of_kind['off']:+6.1%}" if "off" in of_kind
                 else " " * 15)
    for where in ("loop_ms", "judged_ms"):
        times = row["latency"].get(where)
        text += f" {times['eager']:8.4f} {times['new']:8.4f}" if times else " " * 18
    return f"{text} {row['outcome']}"


def summary_of(rows, kind):
    shares = [abs(row[kind]["off"]) for row in rows if "off" in row[kind]]
    if not shares:
        return f"{kind}: not judged"
    within = sum(share <= 0.1 for share in shares)
    return (f"{kind}: {within} of {len(shares)} within 10 % of the loop, "
            f"median {statistics.median(shares):.1%} off")


def measure(task, file, options):
    """In a process of its own: {"latency", "throughput"} of the program in `file`, in ms."""
    import torch
    with alone_on(options.device):
        return times_of(*made(task, file, options.device), options)


@contextlib.contextmanager
def alone_on(device):
    """Cupel's lock of a GPU (src/measure/device/device_lock.h): judgements beside this one do not
    time meanwhile, and their hosts stand still."""
    import torch
    if device == "cpu":
        yield
        return
    lock = f"/tmp/cupel-GPU-{torch.cuda.get_device_properties(device).uuid}"
    with open(f"{lock}.gate", "a") as gate, open(f"{lock}.work", "a") as work:
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(work, fcntl.LOCK_EX)
        yield


def times_of(module, instance, options):
    import torch
    device = options.device
    inputs = fresh_inputs(module, device, options.input_mib << 20)
    synchronize = torch.cuda.synchronize if device != "cpu" else lambda: None
    warm(instance, inputs, synchronize)
    given = list
    if options.other_work:
        given = other_work(inputs[0], instance(*inputs[0]))
    elif device == "cpu":
        given = just_written
    elif not options.warm_cache:
        given = emptying(device)
    return {"latency": latency_ms(instance, inputs, synchronize, given),
            "throughput": throughput_ms(instance, inputs, synchronize)}


def made(task, file, device):
    """The task's module, and an instance of the program in `file`, ready to be called."""
    import torch
    torch.set_grad_enabled(False)
    module, program = module_of(task, "task"), module_of(file, "program")
    cls = getattr(program, "ModelNew" if file != task else "Model")
    torch.manual_seed(7)
    instance = cls(*module.get_init_inputs()).to(device)
    if hasattr(instance, "prepare"):
        instance.prepare()
    return module, instance


def module_of(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def fresh_inputs(module, device, bytes_of_all):
    import torch
    first = module.get_inputs()
    size = sum(each.numel() * each.element_size() for each in first if torch.is_tensor(each))
    count = max(INPUTS_MIN, min(INPUTS_MAX, bytes_of_all // max(1, size)))
    sets = [first] + [module.get_inputs() for _ in range(count - 1)]
    return [[each.to(device) if torch.is_tensor(each) else each for each in one] for one in sets]


def warm(instance, inputs, synchronize):
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < WARM_S or calls < CALLS_MIN:
        instance(*inputs[calls % len(inputs)])
        synchronize()
        calls += 1


def just_written(arguments):
    """Written by all of torch's threads, each a part, so that it lies where a layer leaves it."""
    import torch
    return [each.clone() if torch.is_tensor(each) else each for each in arguments]


def emptying(device):
    """A function that fills the GPU's level-2 cache with something else, as the judge does, before
    it writes a call's arguments, as whatever comes before the call would."""
    import torch
    size = 2 * torch.cuda.get_device_properties(device).L2_cache_size
    other = torch.zeros(size // 4, dtype=torch.int32, device=device)

    def given(arguments):
        other.add_(1)
        arguments = just_written(arguments)
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
    times, start, given = [], time.perf_counter(), itertools.cycle(inputs)
    while len(times) < CALLS_MIN // 3 or time.perf_counter() - start < TIMED_S:
        begin = time.perf_counter_ns()
        for _ in range(CALLS_BETWEEN):
            instance(*next(given))
        synchronize()
        times.append((time.perf_counter_ns() - begin) / CALLS_BETWEEN)
    return statistics.median(times) / 1e6


if __name__ == "__main__":
    main()
