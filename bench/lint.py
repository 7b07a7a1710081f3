#!/usr/bin/env python3
"""Which of many tasks can tell a right program from a wrong one: `cupel lint` on each.

    bench/lint.py --device cuda --jobs 6 --log lint.jsonl FOLDER | TASK.py ...
    bench/lint.py --log lint.jsonl --report

Prints a line a task: sound, or degenerate with the reasons, and the mutants that plain allclose at
1e-2 takes for the reference. Results are appended to --log as JSON lines; tasks that stand there
are not linted again. --jobs tasks share the device; what found its memory full is linted once more,
alone. --report prints the log as Markdown. Standard library only; $CUPEL_BINARY names the binary.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from portfolio import ROOT, read_log, task_files

MEMORY_WORDS = "out of memory"
KILL_SECONDS = 15  # for the hosts of a process that was told to end
ROOM = 46          # of a name in a table


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--policy", default="eager")
    parser.add_argument("--jobs", type=int, default=1, help="tasks at once")
    parser.add_argument("--seconds", type=float, default=120, help="for each task")
    parser.add_argument("--seconds-total", type=float, default=1e9,
                        help="begin no further task after this")
    parser.add_argument("--log", type=Path, help="JSON lines to append to and to go on from")
    parser.add_argument("--report", action="store_true", help="print the log, lint nothing")
    return parser.parse_args()


def lint(task, arguments):
    """The document of `cupel lint --json`, or one with `problem`."""
    command = [os.environ.get("CUPEL_BINARY", str(ROOT / "build/cupel")), "lint", str(task),
               "--device", arguments.device, "--policy", arguments.policy, "--json", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, problem = process.communicate(timeout=arguments.seconds)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            process.communicate(timeout=KILL_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        return {"problem": f"took longer than {arguments.seconds:.0f} s"}
    lines = out.splitlines()
    document = json.loads(lines[-1]) if lines else {}
    if document.get("kind") != "lint":
        return {"problem": document.get("what") or problem.strip()[-300:] or "no output"}
    return document


def summarize(task, document, seconds):
    """One line of the log."""
    entry = {"task": f"{task.parent.name}/{task.stem}", "seconds": round(seconds, 1),
             "problem": document.get("problem", "")}
    if entry["problem"]:
        return entry
    admission = document["admission"]
    tried = {mutant["name"]: False for mutant in document["mutants"]}
    for mutant in document["mutants"]:
        tried[mutant["name"]] |= mutant["rejected"]
    accepted = sorted(name for name, told_apart in tried.items() if not told_apart)
    evidence = admission["evidence"]
    return {**entry, "degenerate": admission["degenerate"], "weak_at_1e2": admission["weak_at_1e2"],
            "mutants": sorted(tried), "accepted": accepted, "notes": evidence["notes"],
            "oracle": evidence["oracle"],
            "kept": [each["name"] for each in evidence["classes"] if each["kept"]]}


def verdict_text(entry):
    if entry["problem"]:
        return f"not linted: {entry['problem'][:160]}"
    text = "; ".join(entry["degenerate"]) or "sound"
    weak = ", ".join(entry["weak_at_1e2"])
    return text + (f"  [allclose at 1e-2 takes: {weak}]" if weak else "")


def print_line(entry):
    print(f"{entry['task']:<{ROOM}} {entry['seconds']:6.1f} s  {verdict_text(entry)}", flush=True)


class Bench:
    """Lints tasks, several at a time, and keeps the log."""

    def __init__(self, arguments):
        self._arguments = arguments
        self._started = time.monotonic()
        self.entries = read_log(arguments.log)

    def run(self, tasks, jobs):
        with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
            for future in concurrent.futures.as_completed([pool.submit(self._one, task)
                                                           for task in tasks]):
                if (entry := future.result()) is not None:
                    self._take(entry)

    def _one(self, task):
        """None when the bench's time is over."""
        started = time.monotonic()
        if started - self._started > self._arguments.seconds_total:
            return None
        return summarize(task, lint(task, self._arguments), time.monotonic() - started)

    def _take(self, entry):
        print_line(entry)
        if MEMORY_WORDS in entry["problem"] and entry["task"] not in self.entries:
            self.entries[entry["task"]] = entry  # once more, alone
            return
        self.entries[entry["task"]] = entry
        if self._arguments.log:
            with self._arguments.log.open("a") as log:
                log.write(json.dumps(entry) + "\n")

    def wanting(self, tasks):
        """Those that have no result yet, but for want of memory."""
        known = {name for name, entry in self.entries.items()
                 if MEMORY_WORDS not in entry["problem"]}
        return [task for task in tasks if f"{task.parent.name}/{task.stem}" not in known]


def print_table(title, rows):
    print(f"\n{title}\n\n| task | |\n|---|---|")
    for name, text in rows:
        print(f"| {name} | {text} |")


def print_report(entries):
    """What a page about a set of tasks needs, in Markdown."""
    done = [entry for entry in entries if not entry["problem"]]
    degenerate = [entry for entry in done if entry["degenerate"]]
    weak = [entry for entry in done if entry["weak_at_1e2"]]
    print(f"\n{len(entries)} tasks: {len(done) - len(degenerate)} sound, {len(degenerate)} "
          f"degenerate, {len(entries) - len(done)} not linted. On {len(weak)} of them plain "
          "allclose at 1e-2 takes a wrong program for the right one.")
    tried = collections.Counter(name for entry in done for name in entry["mutants"])
    fooled = collections.Counter(name for entry in weak for name in entry["weak_at_1e2"])
    print("\n| mutant | tried on | passes allclose at 1e-2 |\n|---|---|---|")
    for name in sorted(tried):
        print(f"| `{name}` | {tried[name]} | {fooled[name]} |")
    print_table("Degenerate:", [(e["task"], "; ".join(e["degenerate"])) for e in degenerate])
    print_table("Sound, though allclose at 1e-2 takes these:",
                [(e["task"], ", ".join(e["weak_at_1e2"])) for e in weak if not e["degenerate"]])
    print_table("Not linted:", [(e["task"], e["problem"]) for e in entries if e["problem"]])


def main():
    arguments = parse_arguments()
    bench = Bench(arguments)
    if not arguments.report:
        started = time.monotonic()
        tasks = task_files(arguments)
        bench.run(bench.wanting(tasks), arguments.jobs)
        bench.run(bench.wanting(tasks), 1)
        print(f"{time.monotonic() - started:.0f} s of wall time")
    print_report(list(bench.entries.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
