#!/usr/bin/env python3
"""What is free, and what is more: `cupel optimize` on many tasks, one line each.

    bench/portfolio.py [TASK.py | FOLDER]... [--device cuda] [--policy half] [--effort quick]

Without tasks: the shipped ones, with their hand-written candidates. Prints for each task eager's
latency, the ratios over eager of torch.compile and of the best free variant, that of the winner
over the best free variant where it is another one, the error against the oracle (rms, in spreads),
the plain allclose that holds, and the wall time; at the end geometric means, a task without a gain
counting as 1. Results are appended to --log as JSON lines; tasks that stand there are not run
again, so that an interrupted bench goes on. Standard library only; $CUPEL_BINARY names the binary.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROLES = {"compile": "torch.compile", "free": "best free variant", "winner": "winner"}
GAINS = ("faster", "same", "ambiguous")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--policy", default="eager")
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--minutes", type=float, default=0, help="for each task; 0: no limit")
    parser.add_argument("--minutes-total", type=float, default=0,
                        help="begin no further task after this")
    parser.add_argument("--log", type=Path, help="JSON lines to append to and to go on from")
    return parser.parse_args()


def task_files(arguments):
    named = arguments.tasks or [ROOT / "tasks"]
    files = []
    for path in named:
        files += sorted(path.glob("*.py")) if path.is_dir() else [path]
    return files


def optimize(task, arguments):
    """The document of `cupel optimize --json`, with the seconds that it took."""
    command = [os.environ.get("CUPEL_BINARY", str(ROOT / "build/cupel")), "optimize", str(task),
               "--device", arguments.device, "--policy", arguments.policy,
               "--effort", arguments.effort, "--json"]
    own = ROOT / "tasks/winners" / task.name
    if task.parent.resolve() == ROOT / "tasks" and own.exists() and arguments.device == "cpu":
        command += ["--candidate", str(own)]
    if arguments.minutes:
        command += ["--budget", f"{round(60 * arguments.minutes)}s"]
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    lines = done.stdout.splitlines()
    document = json.loads(lines[-1]) if lines else {"kind": "error", "what": "no output"}
    document["bench_seconds"] = time.monotonic() - start
    return document


def verdict_of(document, role):
    for row in document.get("table", []):
        if row["role"] == role and row["verdict"].get("ratios"):
            return row["label"], row["verdict"]
    return None, None


def ratio_over_eager(document, role):
    label, verdict = verdict_of(document, role)
    if verdict is None or verdict["outcome"] not in GAINS:
        return None
    return {"label": label, "error": verdict["error_rms"], "outcome": verdict["outcome"],
            "allclose": "1e-4" if verdict["close_1e4"] else "1e-2" if verdict["close_1e2"] else "-",
            **verdict["ratios"][0]}


def over_free(document, winner, free):
    """The winner's own interval over the best free variant, from the final round."""
    if not winner or not free or winner["label"] == free["label"]:
        return None
    _, verdict = verdict_of(document, ROLES["winner"])
    others = [r for r in verdict["ratios"][1:] if r["over"] == free["label"]]
    return others[0] if others else None


def summarize(task, document):
    summary = {"task": task.stem, "seconds": document["bench_seconds"],
               "problem": document.get("what", ""),
               "degenerate": bool(document.get("degenerate"))}
    for key, role in ROLES.items():
        summary[key] = ratio_over_eager(document, role)
    summary["over_free"] = over_free(document, summary["winner"], summary["free"])
    return summary


def ratio_text(ratio):
    return f"{ratio['ratio']:.2f}x [{ratio['low']:.2f}, {ratio['high']:.2f}]" if ratio else "-"


def print_line(summary):
    free = summary["free"] or {}
    print(f"{summary['task']:<34} {free.get('over_ms', 0):9.3f} ms  "
          f"{ratio_text(summary['compile']):<20} {ratio_text(summary['free']):<20} "
          f"{free.get('label', summary['problem'] or '-')[:38]:<38} {free.get('error', 0):8.1e} "
          f"{free.get('allclose', '-'):<5} {ratio_text(summary['over_free']):<20} "
          f"{summary['seconds']:6.0f} s{'  degenerate' if summary['degenerate'] else ''}",
          flush=True)


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def print_summary(summaries, arguments):
    sound = [s for s in summaries if not s["degenerate"]]
    for key, text in (("compile", "torch.compile over eager"), ("free", "best free over eager"),
                      ("winner", "winner over eager"), ("over_free", "winner over best free")):
        gains = [max(1.0, s[key]["ratio"]) if s[key] else 1.0 for s in sound]
        print(f"{text:<28} geomean {geomean(gains):.3f}x over {len(gains)} tasks")
    print(f"policy {arguments.policy}, device {arguments.device}, effort {arguments.effort}; "
          f"{sum(s['seconds'] for s in summaries) / 60:.1f} min")


def read_log(path):
    if path is None or not path.exists():
        return {}
    return {entry["task"]: entry for entry in map(json.loads, path.read_text().splitlines())}


def main():
    arguments = parse_arguments()
    known = read_log(arguments.log)
    started = time.monotonic()
    summaries = []
    print(f"{'task':<34} {'eager':>12}  {'torch.compile':<20} {'best free':<20} {'which':<38} "
          f"{'error':>8} {'close':<5} {'winner over it':<20} {'took':>8}")
    for task in task_files(arguments):
        summary = known.get(task.stem)
        if summary is None:
            minutes = (time.monotonic() - started) / 60
            if arguments.minutes_total and minutes > arguments.minutes_total:
                break
            summary = summarize(task, optimize(task, arguments))
            if arguments.log:
                with arguments.log.open("a") as log:
                    log.write(json.dumps(summary) + "\n")
        summaries.append(summary)
        print_line(summary)
    print_summary(summaries, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
