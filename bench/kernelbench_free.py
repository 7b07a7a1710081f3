#!/usr/bin/env python3
"""What algebra adds to what is free: eager, torch.compile and rewritten programs, a round a task.

    bench/kernelbench_free.py --device cuda --jobs 4 --log rows.jsonl --first 14,18,51 FOLDER

FOLDER holds task files such as KernelBench's. Each task is one `cupel_bench portfolio` of
torch.compile and of what the rules make of it, plain and compiled, beside eager. A task's row goes
to --log as soon as it is there; started again, the bench goes on. No task is begun after
--seconds-total, and none takes longer than --seconds, so that nothing is lost to a limit from
outside. --first: numbers or names of tasks, in the order in which they are to be done. At the end,
or with --report alone, a table and geometric means over the tasks that can tell right from wrong: a
task without a gain counts as 1. Standard library only; $CUPEL_BINARY names the binary.
"""

import argparse
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from portfolio import ROOT, geomean, program_summary, read_log, task_files

KILL_SECONDS = 10  # for the hosts of a process that was told to end
OUTCOMES = ("faster", "same", "ambiguous", "slower")  # right, so that its ratio counts


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", type=Path, help="files or folders")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--policy", default="eager")
    parser.add_argument("--mode", default="as_constructed", help="of the models, or inference")
    parser.add_argument("--only", default="compile",
                        help="free variants beside eager, by name; '': the whole portfolio")
    parser.add_argument("--without", default="+freezing", help="rewritten programs to leave out")
    parser.add_argument("--jobs", type=int, default=1, help="tasks at once")
    parser.add_argument("--round-gib", type=float, default=45,
                        help="of the device's memory for the programs of one task")
    parser.add_argument("--timing", type=float, default=0, help="seconds of a round; 0: the plan's")
    parser.add_argument("--rounds", type=int, default=1, help="for a task that stays open")
    parser.add_argument("--limit", type=float, default=60,
                        help="seconds for one variant's loading and first call")
    parser.add_argument("--seconds", type=float, default=150, help="for each task")
    parser.add_argument("--seconds-total", type=float, default=1e9,
                        help="begin no further task after this")
    parser.add_argument("--first", default="", help="numbers or names, comma between")
    parser.add_argument("--log", type=Path, required=True,
                        help="JSON lines to append to and to go on from")
    parser.add_argument("--report", action="store_true", help="print the log, measure nothing")
    return parser.parse_args()


def in_order(files, first):
    """The files, those first that are asked for first; a number stands for the name's beginning."""
    wanted = [each for each in first.split(",") if each]

    def place(file):
        number = file.stem.split("_")[0]
        places = [i for i, each in enumerate(wanted) if each in (number, file.stem)]
        return places[0] if places else len(wanted)

    def number_of(file):
        number = file.stem.split("_")[0]
        return int(number) if number.isdigit() else 0

    return sorted(files, key=lambda file: (place(file), number_of(file), file.stem))


class Bench:
    """The processes that run, so that all can be ended."""

    def __init__(self, arguments):
        self._arguments = arguments
        binary = os.environ.get("CUPEL_BINARY", str(ROOT / "build/cupel"))
        self._binary = Path(binary).parent / "cupel_bench"
        self._started = time.monotonic()
        self._running = set()
        self._lock = threading.Lock()
        self._is_ended = False

    def seconds(self):
        return time.monotonic() - self._started

    def run(self, task):
        """The document of `cupel_bench portfolio` on a task, or None where time is up."""
        if self._is_ended or self.seconds() > self._arguments.seconds_total:
            return None
        began = time.monotonic()
        process = subprocess.Popen(self._command(task), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        with self._lock:
            self._running.add(process)
        try:
            out, problem = process.communicate(timeout=self._arguments.seconds)
        except subprocess.TimeoutExpired:
            end(process)
            out, problem = "", f"took longer than {self._arguments.seconds:.0f} s"
        with self._lock:
            self._running.discard(process)
        if self._is_ended:
            return None
        lines = out.splitlines()
        document = json.loads(lines[-1]) if lines else {"problem": problem[-300:] or "no output"}
        document["bench_seconds"] = time.monotonic() - began
        return document

    def _command(self, task):
        asked = self._arguments
        command = [str(self._binary), "portfolio", "--device", asked.device,
                   "--policy", asked.policy, "--mode", asked.mode,
                   "--rewrites", "1", "--without", asked.without,
                   "--round-gib", str(asked.round_gib), "--rounds", str(asked.rounds),
                   "--limit", str(asked.limit), "--timing", str(asked.timing)]
        if asked.only:
            command += ["--only", asked.only]
        return [*command, str(task)]

    def end_all(self):
        self._is_ended = True
        with self._lock:
            running = list(self._running)
        for process in running:
            end(process)


def end(process):
    """Ends a process and what it started."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(timeout=KILL_SECONDS)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def best_of(programs):
    """The quickest of those that are right, if the judge calls it faster."""
    faster = [program for program in programs if program["outcome"] == "faster"]
    return max(faster, key=lambda program: program["ratio"], default=None)


def row_of(task, document):
    measured = [program_summary(program) for program in document.get("programs", [])
                if "ratio" in program and program["outcome"] in OUTCOMES]
    free = [program for program in measured if not program["label"].startswith("rewrite")]
    labels = document.get("seeds", {})
    rewritten = {name: text for name, text in labels.items() if name.startswith("rewrite")}
    failed = [f"{program['label']}: {program['headline']}"
              for program in document.get("programs", []) if program["outcome"] not in OUTCOMES]
    return {"task": task.stem, "seconds": document["bench_seconds"],
            "problem": document.get("problem", ""), "degenerate": bool(document.get("degenerate")),
            "eager_ms": measured[0]["over_ms"] if measured else None,
            "compile": next((each for each in free if each["label"] == "compile"), None),
            "free": best_of(free), "best": best_of(measured),
            "rules": rewritten.get("rewrite", "").partition(": ")[2], "failed": failed,
            "document": document}


def found_no_room(row):
    return "out of memory" in row["problem"] or any(
        program["outcome"] == "out_of_memory" for program in row["document"].get("programs", []))


def ratio_text(program):
    return f"{program['ratio']:.2f}" if program else "-"


def ratio(program):
    return max(1.0, program["ratio"]) if program else 1.0


def print_row(row):
    best = row["best"] or {}
    what = "degenerate" if row["degenerate"] else row["problem"] or row["rules"]
    eager = f"{row['eager_ms']:.3f}" if row["eager_ms"] else "-"
    print(f"{row['task'][:44]:<44} {eager:>9} {ratio_text(row['compile']):>8} "
          f"{ratio_text(row['free']):>8} {ratio_text(row['best']):>9} "
          f"{best.get('label', '-')[:40]:<40} {row['seconds']:5.0f} s  {what[:120]}", flush=True)
    for problem in row["failed"]:
        print(f"    {problem[:150]}", flush=True)


def print_heading():
    print(f"{'task':<44} {'eager, ms':>9} {'compile':>8} {'free':>8} {'rewritten':>9} "
          f"{'which':<40} {'took':>7}  rules")


def print_means(rows):
    sound = [row for row in rows if row["eager_ms"] and not row["degenerate"]]
    if not sound:
        return
    free = geomean([ratio(row["free"]) for row in sound])
    best = geomean([ratio(row["best"]) for row in sound])
    plain = geomean([ratio(row["compile"]) for row in sound])
    fired = [row for row in sound if row["rules"]]
    print(f"\n{len(rows)} tasks, {len(sound)} with ratios; geometric means over eager:")
    print(f"  the better of eager and torch.compile  {plain:.3f}")
    print(f"  best free variant without rewrites     {free:.3f}")
    print(f"  best free variant with rewrites        {best:.3f}  ({best / free:.3f} over without)")
    if fired:
        gained = geomean([ratio(row["best"]) / ratio(row["free"]) for row in fired])
        print(f"  rules fired on {len(fired)}; on these rewrites gain {gained:.3f}")


def found_rows(arguments):
    """The last row of each task; one that could not be measured is no row."""
    return {name: row for name, row in read_log(arguments.log).items()
            if row["degenerate"] or not row["problem"]}


def measure_all(arguments, known):
    """Measures what is not in the log yet; rows go there as they come."""
    bench = Bench(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    tasks = [task for task in in_order(task_files(arguments), arguments.first)
             if task.stem not in known]
    crowded = []
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=arguments.jobs)
    try:
        pending = {pool.submit(bench.run, task): task for task in tasks}
        for future in concurrent.futures.as_completed(pending):
            if (document := future.result()) is None:
                continue
            row = row_of(pending[future], document)
            if arguments.jobs > 1 and found_no_room(row):
                crowded.append(pending[future])
            else:
                take(row, known, arguments)
        for task in crowded:  # once more, alone
            if (document := bench.run(task)) is not None:
                take(row_of(task, document), known, arguments)
    finally:
        bench.end_all()
        pool.shutdown(wait=True, cancel_futures=True)
    print(f"{bench.seconds():.0f} s of wall time; {len(tasks)} tasks were left to do")


def take(row, known, arguments):
    known[row["task"]] = row
    with arguments.log.open("a") as log:
        log.write(json.dumps(row) + "\n")
    print_row(row)


def main():
    arguments = parse_arguments()
    known = found_rows(arguments)
    print_heading()
    for row in known.values():
        print_row(row)
    try:
        if not arguments.report:
            measure_all(arguments, known)
    finally:
        print_means(list(known.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
