"""`cupel optimize-model [OPTIONS] SCRIPT [ARGUMENTS]`."""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

from cupel.whole_model.amdahl import (applied_row, expected, judged_rows, parts_text,
                                      whole_text)
from cupel.whole_model.applied import applied
from cupel.whole_model.composing import NotPlaceable, composed

MODULES_SHARE = 0.7  # of the budget; the whole model is judged in the rest
MINUTES_MIN = 1.0
INPUT_ERROR, NOTHING_WON, INTERRUPTED = 4, 1, 130


class Stopped(Exception):
    """The user interrupted a step, which has kept what it had."""


class Failed(Exception):
    """A step that ended without an answer; the text has been said by it or is the reason."""


def main():
    options = _parse()
    signal.signal(signal.SIGINT, lambda *_: None)  # the step at work ends, and says so
    try:
        return Work(options).run()
    except Stopped:
        print("cupel: stopped; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    except Failed as problem:
        print(f"cupel: {problem}", file=sys.stderr)
        return INPUT_ERROR


def _parse():
    parser = argparse.ArgumentParser(
        prog="cupel optimize-model", description="Captures the model of a script, optimizes the "
        "modules in which its time goes, ships what won, and judges the whole with that applied.")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("optimized"),
                        metavar="DIR", help="where tasks, runs, package and result are kept")
    parser.add_argument("--minutes", type=float, default=30.0, metavar="N",
                        help="of search, all modules and the whole together (30); winners' "
                        "audits and the package come on top")
    parser.add_argument("--effort", default="normal", choices=("quick", "normal", "full"))
    parser.add_argument("--policy", default="eager", choices=("eager", "exact", "tf32", "half"))
    parser.add_argument("--device", default="cpu", metavar="NAME")
    parser.add_argument("--threads", default="", metavar="N", help="of each program (all cores)")
    parser.add_argument("--grain", default="24", metavar="N", help="as for cupel capture")
    parser.add_argument("-m", dest="package", action="store_true",
                        help="SCRIPT is a module's name, as for python -m")
    parser.add_argument("script", metavar="SCRIPT")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS")
    return parser.parse_args()


class Work:
    """The steps, each a command of its own; what is there already is not done again."""

    def __init__(self, options):
        self._options, self._out = options, options.out
        self._tasks = options.out / "tasks"

    def run(self):
        rows = self._capture()
        whole = next((row for row in rows if row["whole"] and row["task"]), None)
        hot = [row for row in rows if row["task"] and row is not whole]
        won = self._optimize(hot)
        judged, run = self._judge_whole(whole, won) if whole else ([], "")
        if not whole:
            reasons = [row["refusal"] for row in rows if row["whole"]]
            print("The whole model is no task: " + "; ".join(reasons), file=sys.stderr)
        runs = [run] if run else [row["run"] for row in won]
        package = self._ship(runs, whole or hot[0]) if runs else None
        if package and whole:
            judged += self._judge_applied(whole, package)
        (self._out / "result.json").write_text(
            json.dumps({"version": 1, "kind": "whole_model", "modules": won,
                        "expected": expected(won), "judged": judged,
                        "package": str(package or "")}), encoding="utf-8")
        if won:
            print("\n" + parts_text(won))
        if judged:
            print("\n" + whole_text(judged))
        print(self._next(runs, package))
        return 0 if runs else NOTHING_WON

    def _next(self, runs, package):
        if package:
            return (f"Next: pip install --no-build-isolation {package}, and in your program: "
                    f"import {package.name}; {package.name}.apply(model)")
        return "Next: cupel ship " + " ".join(runs) if runs else self._nothing_won()

    def _nothing_won(self):
        return (f"Nothing is faster than the original, which stays as it is. {self._out} keeps "
                "what was tried. Way on: another --out with more --minutes or --policy half, or "
                f"agents: cupel optimize {self._tasks}/NAME.py --llm SERVICE:MODEL")

    def _capture(self):
        """The modules. What was captured once is gone on with: other calls would be other tasks."""
        manifest = self._tasks / "capture.json"
        if manifest.exists():
            print(f"captured before: {manifest}", flush=True)
        else:
            self._capture_now()
        told = json.loads(manifest.read_text(encoding="utf-8"))
        if told["origin"] != os.path.basename(self._options.script):
            raise Failed(f"{self._out} has tasks of {told['origin']}: name another --out")
        return told["modules"]

    def _capture_now(self):
        command = ["capture", "--as-step", "--out", self._tasks, "--whole",
                   "--grain", self._options.grain,
                   *["-m"] * self._options.package, self._options.script,
                   *self._options.arguments]
        print("capturing", flush=True)
        self._out.mkdir(parents=True, exist_ok=True)
        if self._run(command) != 0:
            raise Failed(f"{self._options.script}: could not be captured")

    def _optimize(self, hot):
        """Of each module something won for: {"module", "share", "ratio", ..., "source"}."""
        total = sum(row["share"] for row in hot) or 1
        won = []
        for row in hot:
            minutes = max(MINUTES_MIN, self._options.minutes * MODULES_SHARE * row["share"] / total)
            result = self._search(row["task"]["name"], minutes)
            winner = next((line for line in result["table"] if line["role"] == "winner"), None)
            print(f"{row['module']}: " + (winner["label"] if winner else "nothing is faster"),
                  flush=True)
            if winner:
                source = pathlib.Path(result["winner_path"]).read_text(encoding="utf-8")
                won.append({"module": row["module"], "count": row["count"], "share": row["share"],
                            "ratio": winner["verdict"]["ratios"][0]["ratio"],
                            "label": winner["label"], "paths": row["paths"],
                            "run": str(self._run_of(row["task"]["name"])),
                            "task": row["task"], "source": source})
        return won

    def _search(self, name, minutes, *more):
        """What a run found; it shows its own progress and table."""
        print(f"\noptimizing {name}, {minutes:.1f} min and the winner's audit", flush=True)
        self._run(["optimize", self._tasks / f"{name}.py", "--run-dir", self._run_of(name),
                   "--budget", f"{minutes:.1f}min", "--effort", self._options.effort, "--policy",
                   self._options.policy, "--device", self._options.device, *self._threads(), *more])
        result = self._output(["report", self._run_of(name), "--json"])
        if not result.get("finished"):
            raise Failed(f"{name} was not optimized to the end; the same command goes on with it")
        return result

    def _threads(self):
        return ["--threads", self._options.threads] if self._options.threads else []

    def _run_of(self, name):
        return self._out / "runs" / name

    def _judge_whole(self, whole, won):
        """([{"what", "ratio", "label"}], the run's directory where something won). The winners in
        place are judged beside the free variants and rewrites of the whole."""
        text = (self._tasks / f"{whole['task']['name']}.py").read_text(encoding="utf-8")
        prefix = whole["paths"][0] + "." if whole["paths"][0] else ""
        placements = []
        for row in won:
            try:
                paths = [path.removeprefix(prefix) for path in row["paths"]]
                composed(text, [(row["task"], paths, row["source"])])
                placements.append((row["task"], paths, row["source"]))
            except NotPlaceable as problem:
                print(f"{row['module']} stays as it is: {problem}", file=sys.stderr)
        candidate = self._out / "model_new.py"
        extra = ["--candidate", candidate] if placements else []
        if placements:
            candidate.write_text(composed(text, placements), encoding="utf-8")
        minutes = max(MINUTES_MIN, self._options.minutes * (1 - MODULES_SHARE))
        name = whole["task"]["name"]
        result = self._search(name, minutes, *extra)
        won_run = str(self._run_of(name)) if result["winner_id"] else ""
        return judged_rows(result, candidate.name if placements else None), won_run

    def _ship(self, runs, row):
        """The directory of a package of what won; None where it cannot be made, which is said. One
        without tests, which are written last, was cut off and is made anew."""
        package = self._out / f"fast_{row['task']['name']}"
        if (package / "tests" / f"test_{package.name}.py").exists():
            print(f"shipped before: {package}", flush=True)
            return package
        shutil.rmtree(package, ignore_errors=True)
        print(f"\nshipping {package}", flush=True)
        code = self._run(["ship", *runs, "--out", package, "--name", package.name, "--quiet"])
        return package if code == 0 else None

    def _judge_applied(self, whole, package):
        """The row of the whole model as a user has it then, guards and all; none where that could
        not be judged, which is said."""
        task = self._tasks / f"{whole['task']['name']}.py"
        candidate = self._out / "applied.py"
        candidate.write_text(applied(task.read_text(encoding="utf-8"), package.name, package),
                             encoding="utf-8")
        print(f"judging the model with {package.name} applied", flush=True)
        told = self._output(["judge", task, candidate, "--policy", self._options.policy,
                             "--device", self._options.device, *self._threads(), "--json"])
        if "verdict" not in told:
            print(f"It could not be judged: {told.get('error', told)}", file=sys.stderr)
            return []
        return [applied_row(told["verdict"], package.name)]

    def _output(self, command):
        """The JSON that a command of cupel prints."""
        done = subprocess.run([_binary(), *map(str, command)], stdout=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode == INTERRUPTED:
            raise Stopped
        return json.loads(done.stdout or "{}")

    def _run(self, command):
        code = subprocess.run([_binary(), *map(str, command)], check=False).returncode
        if code == INTERRUPTED:
            raise Stopped
        return code


def _binary():
    return os.environ.get("CUPEL_BINARY") or "cupel"


if __name__ == "__main__":
    sys.exit(main())
