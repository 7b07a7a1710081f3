#!/usr/bin/env python3
"""What algebra adds to what is free: eager, torch.compile, other free variants, rewritten programs.

    bench/kernelbench_free.py --device cuda --jobs 8 --table table.jsonl --log rows.jsonl FOLDER
    bench/kernelbench_free.py --table table.jsonl --log rows.jsonl --report

FOLDER holds task files such as KernelBench's. Each task is one `cupel_bench portfolio`: free
variants and what the rules make of the task, beside eager. A task's row goes to --log as soon as it
is there; started again, the bench goes on. All ends within --seconds-total, and no task takes
longer than --seconds, so that nothing is lost to a limit from outside.

--table is the log of bench/rewrite_table.py on the same tasks. It says which tasks the rules fit:
these come first. It says how much memory a task's programs take: no more are worked on at once than
the device holds. It says what a call must move and compute at least. --report prints tables from
the log and measures nothing. Standard library only; $CUPEL_BINARY names the binary.
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

import free_report
from portfolio import ROOT, program_summary, read_log, task_files

KILL_SECONDS = 10  # for the hosts of a process that was told to end
LAST_SECONDS = 20  # in which no task is begun, since none would end
GIB = 1 << 30
DEVICE_GIB_LEFT = 6   # of a device's memory: contexts that start, what libraries keep
UNKNOWN_GIB = 12      # of a task that no table knows
PROGRAMS_WANTED = 9   # in a round, eager among them; more are a round of their own
COLLAPSES = 3         # times less work: then launches are what is left, which graphs take away
FORM_NAMES = ("phases", "padded", "product", "products", "convolution", "2-d", "input")
# Of a GPU's programs, those that may win where a call is long. Each program is a host of its own,
# and hosts are what such a bench waits for.
LEAN_FREE = "compile,*compile,*compile+graph"
LEAN_WITHOUT = ("rewrite_*+channels_last+compile,rewrite_*+channels_last_3d+compile,"
                "rewrite_*+graph")
LOWER = {"half": "fp16", "tf32": "tf32"}  # what a policy allows, as programs are named
LEAN_FREE_LOWER = "compile,*{0}+compile,*{0}+compile+graph"
LEAN_WITHOUT_LOWER = "rewrite+compile,rewrite_*+{0},rewrite_*+{0}+graph"
GRAPHS_ON_TOP = "rewrite+graph,rewrite+compile+graph,rewrite+fp16+graph,rewrite+tf32+graph"
ORACLE_FACTOR = 2     # of what is alive in a call: the referee computes in float64
# Estimates of memory are for the worst program; most take half. A task that finds no room is
# measured once more, alone.
USED_PART = 0.6
OUTCOMES = ("faster", "same", "ambiguous", "slower")  # right, so that its ratio counts


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", type=Path, help="files or folders")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--policy", default="eager")
    parser.add_argument("--mode", default="as_constructed", help="of the models, or inference")
    parser.add_argument("--only", default="",
                        help="free variants beside eager, by name, * stands for any text; "
                             "'': all of quick effort")
    parser.add_argument("--without", default="*+freezing", help="rewritten programs to leave out")
    parser.add_argument("--lean", action="store_true",
                        help="leave out of both what hardly ever wins on a GPU with long calls")
    parser.add_argument("--jobs", type=int, default=1, help="tasks at once")
    parser.add_argument("--device-gib", type=float, default=0,
                        help="of memory for all tasks; 0: what the device has, or no limit")
    parser.add_argument("--timing", type=float, default=0, help="seconds of a round; 0: the plan's")
    parser.add_argument("--inputs", type=int, default=0,
                        help="that a round's times rest on, at least; 0: the plan's")
    parser.add_argument("--rounds", type=int, default=1, help="for a task that stays open")
    parser.add_argument("--limit", type=float, default=60,
                        help="seconds for one variant's loading and first call")
    parser.add_argument("--seconds", type=float, default=150, help="for each task")
    parser.add_argument("--seconds-total", type=float, default=1e9,
                        help="end after this, whatever is left")
    parser.add_argument("--table", type=Path, help="log of bench/rewrite_table.py")
    parser.add_argument("--log", type=Path, required=True,
                        help="JSON lines to append to and to go on from")
    parser.add_argument("--report", action="store_true", help="print the log, measure nothing")
    return parser.parse_args()


# --- what is known of a task before it is measured

def read_table(path):
    """{task: its row}, of tasks that were looked at."""
    return {name: row for name, row in read_log(path).items() if "problem" not in row}


def gain_of(row):
    """What the rules say they save, as a factor of what an estimate weighs; 1 where none fits."""
    if not row or not row["before"]:
        return 1.01 if row and row["forms"] else 1.0
    before, after = (each["bytes"] + each["operations"] / 8 for each in (row["before"],
                                                                          row["after"]))
    return max(1.02, before / max(after, 1.0))


def gib_each(row):
    """Of the device's memory, for one program: as engine::programs_fitting() has it."""
    if not row or not row["sizes"]["output"]:
        return UNKNOWN_GIB
    sizes = row["sizes"]
    slots = sizes["inputs"] + sizes["output"]
    working = max(6 * slots, (sizes["alive"] - sizes["inputs"]) * 5 / 4)
    return 1 + (slots + working + min(8 * slots, 2 * GIB) + 4 * sizes["weights"] +
                4 * sizes["output"]) / GIB


def in_order(files, table, tried):
    """Those first that the rules save most on, the large ones behind the others, and last what
    could not be measured before."""
    def place(file):
        row = table.get(file.stem)
        return (file.stem in tried, gain_of(row) == 1.0, gib_each(row) > UNKNOWN_GIB,
                -gain_of(row), file.stem)
    return sorted(files, key=place)


def device_gib():
    """Of the first GPU's memory; 0 where nobody says."""
    try:
        told = subprocess.run(["nvidia-smi", "--query-gpu=memory.total",
                               "--format=csv,noheader,nounits"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=20)
        return float(told.stdout.splitlines()[0]) / 1024
    except (OSError, subprocess.SubprocessError, IndexError, ValueError):
        return 0


def device_name(device):
    if device == "cpu":
        return "cpu"
    try:
        told = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              timeout=20)
        return told.stdout.splitlines()[0].strip()
    except (OSError, subprocess.SubprocessError, IndexError):
        return device


class Waiting:
    """Tasks that are left, and the memory that those take which are worked on."""

    def __init__(self, tasks, table, room_gib):
        self._tasks = list(tasks)
        self._table = table
        self._room = room_gib
        self._free = room_gib
        self._changed = threading.Condition()

    def round_gib(self, task):
        """For one round of a task: as many programs as it has, but never more than there is."""
        each = gib_each(self._table.get(task.stem))
        return max(2 * each, min(PROGRAMS_WANTED * each, self._room / 3))

    def _needed(self, task):
        row = self._table.get(task.stem)
        oracle = ORACLE_FACTOR * row["sizes"]["alive"] / GIB if row else UNKNOWN_GIB
        return min(self._room, USED_PART * (self.round_gib(task) + oracle))

    def take(self):
        """The next task for which there is room; None when none is left."""
        with self._changed:
            while self._tasks:
                for task in self._tasks:
                    if self._needed(task) <= self._free:
                        self._tasks.remove(task)
                        self._free -= self._needed(task)
                        return task
                self._changed.wait()
            return None

    def done(self, task):
        with self._changed:
            self._free += self._needed(task)
            self._changed.notify_all()


# --- measuring

def lean_lists(policy, row):
    """(free variants, rewritten programs to leave out) of a task."""
    free, leave = LEAN_FREE, LEAN_WITHOUT
    if lower := LOWER.get(policy):
        free, leave = LEAN_FREE_LOWER.format(lower), LEAN_WITHOUT_LOWER.format(lower)
    without = ["*+freezing", leave, *(f"rewrite_*{name}" for name in FORM_NAMES)]
    if gain_of(row) < COLLAPSES:
        without.append(GRAPHS_ON_TOP)
    return free, ",".join(without)


class Bench:
    """The processes that run, so that all can be ended."""

    def __init__(self, arguments, table):
        self._arguments, self._table = arguments, table
        binary = os.environ.get("CUPEL_BINARY", str(ROOT / "build/cupel"))
        self._binary = Path(binary).parent / "cupel_bench"
        self._started = time.monotonic()
        self._running = set()
        self._lock = threading.Lock()
        self._is_ended = False

    def seconds(self):
        return time.monotonic() - self._started

    def is_over(self):
        return self._is_ended or self._left() < LAST_SECONDS

    def _left(self):
        return self._arguments.seconds_total - KILL_SECONDS - self.seconds()

    def run(self, task, round_gib):
        """The document of `cupel_bench portfolio` on a task, or None where time is up."""
        if self.is_over():
            return None
        began, left = time.monotonic(), self._left()
        seconds = min(self._arguments.seconds, left)
        process = subprocess.Popen(self._command(task, round_gib), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        with self._lock:
            self._running.add(process)
        try:
            out, problem = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            end(process)
            out, problem = "", f"took longer than {seconds:.0f} s"
        with self._lock:
            self._running.discard(process)
        if self._is_ended or (not out and self._left() <= 0):
            return None
        lines = out.splitlines()
        document = json.loads(lines[-1]) if lines else {"problem": problem[-300:] or "no output"}
        document["bench_seconds"] = time.monotonic() - began
        return document

    def _command(self, task, round_gib):
        asked = self._arguments
        only, without = lean_lists(asked.policy, self._table.get(task.stem)) if asked.lean \
            else (asked.only, asked.without)
        command = [str(self._binary), "portfolio", "--device", asked.device,
                   "--policy", asked.policy, "--mode", asked.mode,
                   "--rewrites", "1", "--without", without,
                   "--round-gib", str(round_gib), "--rounds", str(asked.rounds),
                   "--limit", str(asked.limit), "--timing", str(asked.timing),
                   "--inputs", str(asked.inputs), "--beside", str(PROGRAMS_WANTED - 1)]
        if only:
            command += ["--only", only]
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


def row_of(task, document, device, asked):
    measured = [program_summary(program) for program in document.get("programs", [])
                if "ratio" in program and program["outcome"] in OUTCOMES]
    failed = [f"{program['label']}: {program['headline']}"
              for program in document.get("programs", []) if program["outcome"] not in OUTCOMES]
    labels = document.get("seeds", {})
    return {"task": task.stem, "level": task.parent.name, "seconds": document["bench_seconds"],
            "device": device, "policy": asked.policy, "mode": asked.mode,
            "problem": document.get("problem", ""),
            "degenerate": bool(document.get("degenerate")),
            "rules": labels.get("rewrite", "").partition(": ")[2],
            "eager_ms": measured[0]["over_ms"] if measured else None,
            "programs": measured, "failed": failed, "document": document}


def found_no_room(row):
    return "out of memory" in row["problem"] or any(
        program["outcome"] == "out_of_memory" for program in row["document"].get("programs", []))


class Measuring:
    """Works through the tasks with several threads; rows go to the log as they come."""

    def __init__(self, arguments, known, table):
        self._asked, self._known = arguments, known
        self._device = device_name(arguments.device)
        gib = arguments.device_gib or (device_gib() if arguments.device != "cpu" else 0)
        room = gib - DEVICE_GIB_LEFT if gib else 1e6
        tried = read_log(arguments.log)
        tasks = [task for task in in_order(task_files(arguments), table, tried)
                 if task.stem not in known]
        self.count = len(tasks)
        self._waiting = Waiting(tasks, table, room)
        self._bench = Bench(arguments, table)
        self._crowded = []
        self._lock = threading.Lock()

    def run(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        jobs = self._asked.jobs
        with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
            try:
                workers = [pool.submit(self._work, jobs > 1) for _ in range(jobs)]
                for worker in workers:
                    worker.result()
                for task in self._crowded:  # once more, alone
                    self._measure(task, False)
            finally:
                self._bench.end_all()
        print(f"{self._bench.seconds():.0f} s of wall time; {self.count} tasks were left to do")

    def _work(self, beside_others):
        while not self._bench.is_over() and (task := self._waiting.take()) is not None:
            try:
                self._measure(task, beside_others)
            finally:
                self._waiting.done(task)

    def _measure(self, task, beside_others):
        document = self._bench.run(task, self._waiting.round_gib(task))
        if document is None:
            return
        row = row_of(task, document, self._device, self._asked)
        with self._lock:
            if beside_others and found_no_room(row):
                self._crowded.append(task)
                return
            self._known[row["task"]] = row
            with self._asked.log.open("a") as log:
                log.write(json.dumps(row) + "\n")
            free_report.print_progress(row)


def found_rows(path):
    """The last row of each task; one that could not be measured is no row."""
    return {name: row for name, row in read_log(path).items()
            if row["degenerate"] or not row["problem"]}


def main():
    arguments = parse_arguments()
    table = read_table(arguments.table)
    known = found_rows(arguments.log)
    if arguments.report:
        free_report.print_tables(list(known.values()), table)
        return 0
    try:
        Measuring(arguments, known, table).run()
    finally:
        free_report.print_means(list(known.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
