#!/usr/bin/env python3
"""What is free, and what is more: `cupel optimize` on many tasks, one line each.

    bench/portfolio.py [TASK.py | FOLDER]... [--device cuda] [--policy half] [--effort quick]
    bench/portfolio.py --side-by-side --jobs 6 --device cuda --policy half FOLDER

Without tasks: the shipped ones, with their hand-written candidates. Prints for each task eager's
latency, the ratios over eager of torch.compile and of the best free variant, that of the winner
over the best free variant where it is another one, the error against the oracle (rms, in spreads),
the plain allclose that holds, and the wall time; at the end geometric means, a task without a gain
counting as 1. Results are appended to --log as JSON lines; tasks that stand there are not run
again, so that an interrupted bench goes on. Standard library only; $CUPEL_BINARY names the binary.

With --side-by-side each task is one round of all its variants (`cupel_bench portfolio`), and --jobs
tasks are worked on at once: they compile side by side and take turns at timing. The best variant is
then the one with the highest ratio of those that the judge calls faster.
"""

import argparse
import concurrent.futures
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
    parser.add_argument("--mode", default="", help="of the models: as_constructed, inference")
    parser.add_argument("--effort", default="quick")
    parser.add_argument("--minutes", type=float, default=0, help="for each task; 0: no limit")
    parser.add_argument("--minutes-total", type=float, default=0,
                        help="begin no further task after this")
    parser.add_argument("--side-by-side", action="store_true",
                        help="one round a task, straight from the evaluator")
    parser.add_argument("--jobs", type=int, default=1, help="tasks at once, with --side-by-side")
    parser.add_argument("--also", default="",
                        help="further variants by name; *+graph: all that end so")
    parser.add_argument("--limit", type=float, default=0,
                        help="seconds for one variant's loading and first call")
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
    if arguments.mode:
        command += ["--mode", arguments.mode]
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


def faster_or_none(ratio):
    return ratio if ratio and ratio["outcome"] == "faster" else None


def over_free(document, winner, free):
    """The winner's own interval over the best free variant, from the final round."""
    if not winner or not free or winner["label"] == free["label"]:
        return None
    _, verdict = verdict_of(document, ROLES["winner"])
    others = [r for r in verdict["ratios"] if r["over"] == free["label"]]
    return others[0] if others else None


def summarize(task, document):
    summary = {"task": task.stem, "seconds": document["bench_seconds"],
               "problem": document.get("what", ""),
               "degenerate": bool(document.get("degenerate"))}
    for key, role in ROLES.items():
        summary[key] = ratio_over_eager(document, role)
    # torch.compile is one of the free variants; where none is faster, eager is the best of them.
    summary["free"] = (summary["free"] or faster_or_none(summary["compile"])
                       or ratio_over_eager(document, "eager"))
    summary["over_free"] = over_free(document, summary["winner"], summary["free"])
    return summary


def run_bench(task, arguments):
    """The document of `cupel_bench portfolio`, with the seconds that it took."""
    command = ["portfolio", "--device", arguments.device, "--policy", arguments.policy,
               "--effort", arguments.effort]
    if arguments.mode:
        command += ["--mode", arguments.mode]
    if arguments.also:
        command += ["--also", arguments.also]
    if arguments.limit:
        command += ["--limit", str(arguments.limit)]
    start = time.monotonic()
    document = bench_document([*command, task])
    document["bench_seconds"] = time.monotonic() - start
    return document


def bench_document(arguments, **variables):
    """The last line of `cupel_bench ARGUMENTS`, run with these variables beside its environment's;
    {"problem": why there is none}."""
    binary = Path(os.environ.get("CUPEL_BINARY", str(ROOT / "build/cupel"))).parent / "cupel_bench"
    done = subprocess.run([str(binary), *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, env=dict(os.environ, **variables))
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]) if lines else {"problem": done.stderr[-300:] or "no output"}


def program_summary(program):
    """One variant of a side-by-side round, as ratio_over_eager() has it."""
    return {"label": program["label"], "error": program["error_rms"],
            "outcome": program["outcome"], "checked_calls": program["checked_calls"],
            "allclose": "1e-4" if program["close_1e4"] else "1e-2" if program["close_1e2"] else "-",
            **{key: program[key] for key in ("ratio", "low", "high", "ms", "over_ms", "pairs")}}


def summarize_round(task, document):
    programs = [p for p in document.get("programs", []) if "ratio" in p]
    by_label = {p["label"]: program_summary(p) for p in programs
                if p["outcome"] in (*GAINS, "slower")}
    faster = [p for p in by_label.values() if p["outcome"] == "faster"]
    best = max(faster, key=lambda p: p["ratio"], default=by_label.get("eager"))
    return {"task": task.stem, "seconds": document["bench_seconds"],
            "problem": document.get("problem", ""), "degenerate": bool(document.get("degenerate")),
            "compile": by_label.get("compile"), "max_autotune": by_label.get("max_autotune"),
            "free": best, "winner": best, "over_free": None, "document": document}


def found_no_room(summary):
    """Something could not be judged since others filled the device's memory."""
    programs = summary.get("document", {}).get("programs", [])
    return "out of memory" in summary["problem"] or any(
        program["outcome"] == "out_of_memory" for program in programs)


def ratio_text(ratio):
    return f"{ratio['ratio']:.2f}x [{ratio['low']:.2f}, {ratio['high']:.2f}]" if ratio else "-"


def print_line(summary):
    free = summary["free"] or {}
    print(f"{summary['task']:<34} {free.get('over_ms', 0):9.3f} ms  "
          f"{ratio_text(summary['compile']):<20} "
          f"{ratio_text(summary.get('max_autotune')):<20} {ratio_text(summary['free']):<20} "
          f"{free.get('label', summary['problem'] or '-')[:38]:<38} {free.get('error', 0):8.1e} "
          f"{free.get('allclose', '-'):<5} {ratio_text(summary['over_free']):<20} "
          f"{summary['seconds']:6.0f} s{'  degenerate' if summary['degenerate'] else ''}",
          flush=True)


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def print_summary(summaries, arguments):
    sound = [s for s in summaries if not s["degenerate"]]
    for key, text in (("compile", "torch.compile over eager"),
                      ("max_autotune", "max-autotune over eager"),
                      ("free", "best free over eager"),
                      ("winner", "winner over eager"), ("over_free", "winner over best free")):
        measured = [s[key] for s in sound if s.get(key)]
        if key in ("compile", "max_autotune"):  # as they are, where they run
            gains = [each["ratio"] for each in measured]
        else:
            gains = [1.0] * (len(sound) - len(measured))
            gains += [max(1.0, each["ratio"]) for each in measured]
        print(f"{text:<28} geomean {geomean(gains):.3f}x over {len(gains)} tasks")
    print(f"policy {arguments.policy}, device {arguments.device}, effort {arguments.effort}; "
          f"{sum(s['seconds'] for s in summaries) / 60:.1f} min")


def read_log(path, key="task"):
    if path is None or not path.exists():
        return {}
    return {entry[key]: entry for entry in map(json.loads, path.read_text().splitlines())}


def take(summary, summaries, known, arguments):
    """Prints and logs a task's summary."""
    if arguments.log and summary["task"] not in known:
        with arguments.log.open("a") as log:
            log.write(json.dumps(summary) + "\n")
    summaries.append(summary)
    print_line(summary)


def main():
    arguments = parse_arguments()
    known = read_log(arguments.log)
    started = time.monotonic()

    def measure(task):
        """A task's summary; None when the bench's time is over."""
        if task.stem in known:
            return known[task.stem]
        minutes = (time.monotonic() - started) / 60
        if arguments.minutes_total and minutes > arguments.minutes_total:
            return None
        if arguments.side_by_side:
            return summarize_round(task, run_bench(task, arguments))
        return summarize(task, optimize(task, arguments))

    print(f"{'task':<34} {'eager':>12}  {'torch.compile':<20} {'max-autotune':<20} "
          f"{'best free':<20} {'which':<38} {'error':>8} {'close':<5} {'winner over it':<20} "
          f"{'took':>8}")
    summaries, crowded = [], []
    jobs = arguments.jobs if arguments.side_by_side else 1
    tasks = task_files(arguments)
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        pending = {pool.submit(measure, task): task for task in tasks}
        for future in concurrent.futures.as_completed(pending):
            summary = future.result()
            if summary is not None and jobs > 1 and found_no_room(summary):
                crowded.append(pending[future])
            elif summary is not None:
                take(summary, summaries, known, arguments)
    for task in crowded:  # once more, alone
        if (summary := measure(task)) is not None:
            take(summary, summaries, known, arguments)
    print_summary(summaries, arguments)
    print(f"{time.monotonic() - started:.0f} s of wall time in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
