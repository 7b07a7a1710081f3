#!/usr/bin/env python3
"""What a verdict costs on a machine with a GPU: forty candidates with CUDA kernels of their own,
for shipped tasks, from cold caches.

    bench/throughput.py [--door load_inline] [--tasks 4] [--kernelbench FOLDER --sample 4]

The candidates of a task are judged side by side in one round (`cupel_bench verdicts`), all tasks at
a time: they build and compile side by side and take turns at timing. Prints a line a task with
the stages of its round in seconds, and the wall time a candidate. With --kernelbench, a checkout of
KernelBench, a sample of the same candidates goes through its eval_kernel_against_ref as well, one
after another, each in a process of its own as its harness does. $CUPEL_BINARY names the binary.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cuda_candidates import DOORS, write_all
from portfolio import bench_document

ROOT = Path(__file__).resolve().parent.parent
STAGES = ("wait_hosts_ms", "wait_device_ms", "load_ms", "warmup_ms", "prepare_ms", "calls_ms",
          "compare_ms", "audit_ms")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--door", choices=sorted(DOORS), default="cuda_kernel")
    parser.add_argument("--tasks", type=int, default=4, help="that share the candidates")
    parser.add_argument("--candidates", type=int, default=40)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--timing", type=float, default=0,
                        help="seconds of timing in a round; 0: as judgements have it")
    parser.add_argument("--kernelbench", type=Path, help="a checkout of KernelBench")
    parser.add_argument("--sample", type=int, default=4, help="candidates for KernelBench")
    parser.add_argument("--trials", type=int, default=100, help="KernelBench's timed calls")
    parser.add_argument("--seconds", type=float, default=0, help="stop KernelBench after this")
    return parser.parse_args()


def judge(task, candidates, cache, device, timing=0):
    """The document of `cupel_bench verdicts`, with the seconds that it took."""
    start = time.monotonic()
    document = bench_document(["verdicts", "--device", device, "--timing", timing,
                               ROOT / "tasks" / f"{task}.py", *candidates], CUPEL_CACHE=cache)
    document["seconds"] = time.monotonic() - start
    return document


def print_task(task, document):
    programs = document.get("programs", [])
    right = sum("ratio" in program for program in programs)
    costs = document.get("costs", [])
    stages = " ".join(f"{sum(cost[stage] for cost in costs) / 1e3:7.2f}" for stage in STAGES)
    print(f"{task:<20} {right}/{len(programs)} {document['seconds']:7.2f} "
          f"{document.get('open_seconds', 0):7.2f} {stages} {document.get('judge_seconds', 0):7.2f}"
          f"  {document.get('problem', '')[:60]}")
    for program in programs:
        ratio = f"{program.get('ms', 0):8.4f} ms" if "ratio" in program else ""
        why = "" if "ratio" in program else program.get("reason", "")[:100]
        print(f"    {program['label']:<32} {ratio} {program['headline']} {why}")
    sys.stdout.flush()


def run_cupel(candidates, arguments):
    """Judges all; returns the wall time in seconds and how many have a ratio."""
    print(f"{'task':<20} {'ok':>3} {'all s':>7} {'open':>7} "
          + " ".join(f"{stage[:-3].replace('_', ' ')[-7:]:>7}" for stage in STAGES)
          + f" {'judging':>7}")
    right = 0
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as cache, \
            concurrent.futures.ThreadPoolExecutor(max_workers=arguments.tasks) as pool:
        pending = {pool.submit(judge, task, files, cache, arguments.device, arguments.timing): task
                   for task, files in candidates.items()}
        for future in concurrent.futures.as_completed(pending):
            document = future.result()
            print_task(pending[future], document)
            right += sum("ratio" in program for program in document.get("programs", []))
        return time.monotonic() - start, right


def run_kernelbench(candidates, arguments):
    """Seconds of each sampled candidate, in a process of its own with a cold build folder."""
    each = []
    sampled = [(task, files[0]) for task, files in candidates.items()][:arguments.sample]
    start = time.monotonic()
    for task, file in sampled:
        if arguments.seconds and time.monotonic() - start > arguments.seconds:
            break
        with tempfile.TemporaryDirectory() as build:
            begun = time.monotonic()
            done = subprocess.run(
                [sys.executable, str(Path(__file__).with_name("kernelbench_peer.py")),
                 str(arguments.kernelbench), str(ROOT / "tasks" / f"{task}.py"), str(file), build,
                 str(arguments.trials)], capture_output=True, text=True,
                env=dict(os.environ, TORCH_EXTENSIONS_DIR=build, PYTHONPATH=str(ROOT / "python")))
            seconds = time.monotonic() - begun
        said = (done.stdout.splitlines() or [done.stderr[-300:]])[-1]
        print(f"KernelBench  {file.stem:<32} {seconds:6.1f} s  {said[:120]}", flush=True)
        each.append(seconds)
    return each


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        candidates = write_all(Path(folder), arguments.door, arguments.tasks,
                               arguments.candidates)
        count = sum(map(len, candidates.values()))
        seconds, right = run_cupel(candidates, arguments)
        print(f"Cupel, {arguments.door}: {count} candidates, {right} with a ratio, "
              f"{seconds:.1f} s: {seconds / count:.2f} s a candidate", flush=True)
        if arguments.kernelbench:
            each = run_kernelbench(candidates, arguments)
            if each:
                mean = sum(each) / len(each)
                print(f"KernelBench: {mean:.1f} s a candidate over {len(each)}; "
                      f"{mean * count / seconds:.1f} times Cupel's")
    return 0


if __name__ == "__main__":
    sys.exit(main())
