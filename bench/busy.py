#!/usr/bin/env python3
"""Is a right program accused beside other work? Each honest file judged beside busy processes.

    bench/busy.py --processes 4 [--log busy.jsonl] [FILE_OR_FOLDER...]

Judges each candidate (by default those of tests/honest that need no GPU) once, in one round, while
so many processes do nothing but add numbers up. Up to three candidates of one task and policy are
judged side by side. Prints a line for each: its outcome, and what it says. At the end come the
counts. No time is worth anything here: what counts is that none is `suspect`, `impossible`, `wrong`
or fails. Goes on from its log. Exit status 1: some candidate was not right. Standard library only;
$CUPEL_BINARY names the binary, beside which cupel_bench lies.
"""

import argparse
import collections
import contextlib
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

from portfolio import ROOT, bench_document, read_log

HONEST = ROOT / "tests/honest"
TASKS = (ROOT / "tests/scenarios/tasks", ROOT / "tasks")
BESIDE = 3
RIGHT = {"faster", "same", "slower", "ambiguous"}
ADD_UP = "while True: sum(range(100000))"


def main():
    options = parse_arguments()
    done = read_log(options.log, "candidate")
    counts = collections.Counter(row["outcome"] for row in done.values())
    with busy(options.processes):
        for task, policy, files in groups_of(candidates_of(options.files), done):
            for row in judge(task, policy, files):
                counts[row["outcome"]] += 1
                print(f"{row['candidate']:44} {row['outcome']:12} {row['says']}", flush=True)
                if options.log:
                    with options.log.open("a") as log:
                        log.write(json.dumps(row) + "\n")
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))
    sys.exit(0 if set(counts) <= RIGHT else 1)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="candidates, or folders of them")
    parser.add_argument("--processes", type=int, default=2, help="busy ones")
    parser.add_argument("--log", type=Path, help="JSON lines to append to, and to go on from")
    return parser.parse_args()


@contextlib.contextmanager
def busy(count):
    processes = [subprocess.Popen([sys.executable, "-c", ADD_UP]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def candidates_of(paths):
    for path in paths or [HONEST]:
        for file in sorted(path.glob("*.py")) if path.is_dir() else [path]:
            head = dict(re.findall(r"^# (\w+): (.*)$", file.read_text(), re.M)[::-1])
            if head.get("device", "cpu") == "cpu":
                yield file, task_of(file, head), head.get("policy", "eager")


def task_of(file, head):
    for folder in TASKS:
        task = folder / f"{head.get('task')}.py"
        if task.exists():
            return task
    sys.exit(f"{file}: no task named {head.get('task')!r}")


def groups_of(candidates, done):
    left = [each for each in candidates if each[0].stem not in done]
    by_task = sorted(left, key=lambda each: each[1:])
    for (task, policy), group in itertools.groupby(by_task, key=lambda each: each[1:]):
        files = [file for file, _, _ in group]
        for first in range(0, len(files), BESIDE):
            yield task, policy, files[first:first + BESIDE]


def judge(task, policy, files):
    """A row for each."""
    document = bench_document(["verdicts", "--rounds", 1, "--policy", policy, task, *files])
    programs = {program["label"]: program for program in document.get("programs", [])}
    problem = "; ".join(filter(None, [document.get("problem"), *document.get("problems", [])]))
    for file in files:
        program = programs.get(file.stem, {"outcome": "not judged"})
        right = program["outcome"] in RIGHT
        says = program["headline"] if right else program.get("reason", problem)
        yield {"candidate": file.stem, "outcome": program["outcome"], "says": says}


if __name__ == "__main__":
    main()
