#!/usr/bin/env python3
"""What a verdict costs its user: `cupel judge` as a command, from its start to its end.

    bench/verdict_cost.py [TASK.py CANDIDATE.py]... [--turns 3] [--equal] [--anew]

Judges the shipped winners, or the pairs that are named, --turns times each. --equal judges each
task's own Model instead, which is as fast as itself. --anew has no lint of an earlier turn.

Prints for each pair the median wall time in seconds, what of it are the rounds, and of these the
waiting for hosts, loading, warming up, preparing inputs, calling, comparing, and the audit of
clocks and weights; then what was judged. Needs a quiet machine. Standard library only;
$CUPEL_BINARY names the binary.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("wait_hosts", "load", "warmup", "prepare", "calls", "compare", "audit")


def main():
    options = parse_arguments()
    print(f"{'':22} {'wall':>6} {'rounds':>6} " + " ".join(f"{part:>7}" for part in PARTS[:1]),
          *(f"{part:>7}" for part in PARTS[1:]))
    walls = []
    for task, candidate in pairs_of(options):
        turns = [judge(task, candidate, options) for _ in range(options.turns)]
        walls.append(statistics.median(turn["wall"] for turn in turns))
        print(line_of(task.stem, turns), flush=True)
    print(f"median {statistics.median(walls):.2f} s")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="TASK.py CANDIDATE.py, in pairs")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--equal", action="store_true", help="each task's Model as its candidate")
    parser.add_argument("--anew", action="store_true", help="with an empty cache each time")
    parser.add_argument("--device", default="cpu")
    return parser.parse_args()


def pairs_of(options):
    winners = sorted((ROOT / "tasks/winners").glob("*.py"))
    named = list(zip(options.files[::2], options.files[1::2]))
    return named or [(ROOT / "tasks" / winner.name, winner) for winner in winners]


def judge(task, candidate, options):
    """Seconds of the command and of its parts, and its headline."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ)
        if options.anew:
            environment["CUPEL_CACHE"] = folder
        if options.equal:
            candidate = Path(folder, "equal.py")
            candidate.write_text(task.read_text() + "\n\nModelNew = Model\n")
        command = [os.environ.get("CUPEL_BINARY", str(ROOT / "build/cupel")), "judge", str(task),
                   str(candidate), "--device", options.device, "--json"]
        start = time.monotonic()
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
        wall = time.monotonic() - start
    told = json.loads(done.stdout.splitlines()[-1])
    cost = told.get("cost", {})
    return {"wall": wall, "headline": told.get("headline", "error"),
            "rounds": cost.get("wall_ms", 0) / 1e3,
            **{part: cost.get(f"{part}_ms", 0) / 1e3 for part in PARTS}}


def line_of(name, turns):
    def median(key):
        return statistics.median(turn[key] for turn in turns)

    numbers = f"{median('wall'):6.2f} {median('rounds'):6.2f} "
    numbers += " ".join(f"{median(part):{max(7, len(part))}.2f}" for part in PARTS)
    return f"{name[:22]:22} {numbers}  {'; '.join(turn['headline'] for turn in turns)}"


if __name__ == "__main__":
    main()
