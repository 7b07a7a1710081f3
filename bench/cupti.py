#!/usr/bin/env python3
"""Do Cupel's times order single-kernel candidates as CUPTI's do? On a machine with a GPU.

    bench/cupti.py [--jobs 8]

The candidates of bench/cuda_candidates.py, each once and with its work done several times over, so
that their durations spread. Cupel's figures are the latency of a call and the device's own time for
it, launches queued (`cupel_bench verdicts`); the other one is the kernel's own duration as
torch.profiler has it from CUPTI, with the level-2 cache emptied before each launch as Cupel does.
Prints all three, and Spearman's rank correlations with CUPTI's: of a task's candidates, which are
what a judge compares, and of all. $CUPEL_BINARY names the binary.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from cuda_candidates import KERNELS, candidate
from throughput import judge

ROOT = Path(__file__).resolve().parent.parent
PASSES = (1, 2, 4, 8, 16)
CALLS = 60


def kernel_us(task, file):
    """Median duration in microseconds of the candidate's kernel by CUPTI."""
    import importlib.util
    import statistics

    import torch
    from torch.profiler import ProfilerActivity, profile

    def module(path):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        return loaded

    reference = module(ROOT / "tasks" / f"{task}.py")
    model = module(file).ModelNew(*reference.get_init_inputs()).cuda()
    inputs = [value.cuda() for value in reference.get_inputs()]
    cache_bytes = torch.cuda.get_device_properties(0).L2_cache_size
    flush = torch.empty(2 * cache_bytes, dtype=torch.uint8, device="cuda")
    with torch.no_grad(), profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for i in range(CALLS):
            flush.fill_(i)
            torch.cuda.synchronize()
            model(*inputs)
            torch.cuda.synchronize()
    spans = [event.time_range.elapsed_us() for event in profiler.events()
             if file.stem in event.name]
    return statistics.median(spans) if spans else float("nan")


def own_times(files):
    """Of all candidates, in one process: {file stem: microseconds}."""
    done = subprocess.run([sys.executable, __file__, "--own", json.dumps(files)],
                          capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=str(ROOT / "python")))
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def ranks(values):
    """Ranks from 1, ties on their mean."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            found[order[k]] = (i + j) / 2 + 1
        i = j + 1
    return found


def rank_correlation(one, other):
    a, b = ranks(one), ranks(other)
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    covariance = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    return covariance / (sum((x - mean_a) ** 2 for x in a)
                         * sum((y - mean_b) ** 2 for y in b)) ** 0.5


def write_candidates(folder):
    files = {}
    for task in KERNELS:
        (folder / task).mkdir()
        for passes in PASSES:
            path = folder / task / f"{task}_t256_u1_p{passes}.py"
            path.write_text(candidate(task, "cuda_kernel", 256, 1, passes), encoding="utf-8")
            files.setdefault(task, []).append(path)
    return files


def cupel_times(files, jobs, folder):
    """By the judge, in microseconds: {file stem: (latency, the device's own time)}."""
    times = {}
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        for document in pool.map(lambda task: judge(task, files[task], str(folder), "cuda"), files):
            if document.get("problem"):
                print(document["problem"])
            for program in document.get("programs", []):
                if "ms" in program and "device_ms" in program:
                    times[program["label"]] = (1e3 * program["ms"], 1e3 * program["device_ms"])
                else:
                    print(f"{program['label']}: {program['headline']}")
    return times


def print_correlation(what, names, cupti, cupel):
    if len(names) > 1:
        latency, device = (rank_correlation([cupti[name] for name in names],
                                            [cupel[name][which] for name in names])
                           for which in (0, 1))
        print(f"{what}: {len(names)} candidates, rank correlation with CUPTI {device:.4f} of the "
              f"device's own time, {latency:.4f} of the latency")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--own", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.own:
        print(json.dumps({Path(file).stem: kernel_us(task, Path(file))
                          for task, files in json.loads(arguments.own).items() for file in files}))
        return
    with tempfile.TemporaryDirectory() as folder:
        files = write_candidates(Path(folder))
        cupel = cupel_times(files, arguments.jobs, folder)
        cupti = own_times({task: list(map(str, paths)) for task, paths in files.items()})
    both = sorted((name for name in cupti if name in cupel), key=cupti.get)
    print(f"{'candidate':<36} {'CUPTI us':>10} {'device us':>10} {'latency us':>10}")
    for name in both:
        latency, device = cupel[name]
        print(f"{name:<36} {cupti[name]:10.1f} {device:10.1f} {latency:10.1f}")
    for task in files:
        print_correlation(task, [name for name in both if name.startswith(task)], cupti, cupel)
    print_correlation("all", both, cupti, cupel)


if __name__ == "__main__":
    main()
