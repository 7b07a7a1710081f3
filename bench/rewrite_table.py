#!/usr/bin/env python3
"""What the rules of algebra make of many tasks: which export, which rules fire, which operators no
rule knows, and how long exporting and rewriting take.

    PYTHONPATH=python scripts/python.sh bench/rewrite_table.py --mode inference --jobs 2 FOLDER...

FOLDER holds task files such as KernelBench's. Models and inputs are fake tensors, so that no task
is too large for this machine; one that does not export so is exported with real ones. Each task has
a process of its own with a time limit. The rewriting itself is `build/rewrite_graphs`, which the
build of the tests makes; it is what `cupel rewrite` prints. Needs torch.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from cupel import graph_export, graph_parts, loading
from cupel.failures import TaskFailure

ROOT = Path(__file__).resolve().parent.parent
DRIVER = Path(os.environ.get("CUPEL_BINARY", ROOT / "build/cupel")).parent / "rewrite_graphs"
SEED = 7
REFUSAL_SHOWN = 90       # characters of a reason, in a row
REWRITING_S_MAX = 1.0    # of a processor, for 200 operators: more is a defect
CHEAPEST = ("rewrite", "rewrite_parts")  # names of programs in no other form
# In the message where a program cannot be built of fake tensors, or reads numbers out of them.
FAKE_MISFITS = ("fake", "DataDependent", "_local_scalar_dense")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="+", type=Path, help="files or folders")
    parser.add_argument("--mode", default="as_constructed", help="of the models, or inference")
    parser.add_argument("--policy", default="eager")
    parser.add_argument("--device", default="cuda", help="that the programs are meant for, or cpu")
    parser.add_argument("--jobs", type=int, default=1, help="tasks at once")
    parser.add_argument("--seconds", type=float, default=90, help="for each task")
    parser.add_argument("--log", type=Path, help="JSON lines to write")
    return parser.parse_args()


def task_files(paths):
    def number(file):
        first = file.stem.split("_")[0]
        return (int(first) if first.isdigit() else 0, file.stem)
    files = []
    for path in paths:
        files += sorted(path.glob("*.py"), key=number) if path.is_dir() else [path]
    return files


# --- one task, in a process of its own

def exported(file, mode):
    """What the referee answers to `graph`, with the model's parts where the whole is refused."""
    with contextlib.ExitStack() as fake:
        fake.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
        found = export_once(file, mode)
    if any(word in found.get("refused", "") for word in FAKE_MISFITS):
        found = export_once(file, mode)
    return found


def export_once(file, mode):
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            program = loading.load({"kind": "file", "path": str(file), "source": file.read_text(),
                                    "mode": mode})
            found = graph_export.export(program, seed=SEED)
        except TaskFailure as problem:
            return {"refused": str(problem)}
        if "refused" in found and not any(word in found["refused"] for word in FAKE_MISFITS):
            found["parts"] = graph_parts.export_parts(program, seed=SEED)
        return found


def rewritten(found, policy, device):
    """What the driver says, and the seconds of a processor that it took."""
    done = subprocess.run([DRIVER, policy, device], input=json.dumps(found) + "\n",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"rewrite_graphs: {done.returncode} {done.stderr[-200:]}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)  # this process has no other child
    return json.loads(done.stdout), used.ru_utime + used.ru_stime


def sizes_of(nodes):
    """Bytes of inputs, of weights, of the last operator's output, and the most that is alive."""
    def bytes_of(node):
        return sum(output["bytes"] for output in node["outputs"])

    makes = [node for node in nodes if node["op"] not in ("input", "weight", "constant")]
    sizes = {"inputs": sum(bytes_of(node) for node in nodes if node["op"] == "input"),
             "weights": sum(bytes_of(node) for node in nodes if node["op"] == "weight"),
             "output": bytes_of(makes[-1]) if makes else 0, "alive": 0,
             "convolves": any("conv" in node["op"] for node in makes)}
    last_use = {name: at for at, node in enumerate(makes) for name in names_in(node["arguments"])}
    made = {node["name"]: bytes_of(node) for node in makes if not node.get("is_view")}
    alive = sizes["inputs"]
    for at, node in enumerate(makes):
        alive += made.get(node["name"], 0)
        sizes["alive"] = max(sizes["alive"], alive)
        alive -= sum(made[name] for name, last in last_use.items() if last == at and name in made)
    return sizes


def names_in(value):
    """The nodes that arguments name."""
    if isinstance(value, dict):
        yield from [value["node"]] if "node" in value else names_in(list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from names_in(item)


def row_of(file, asked):
    began = time.monotonic()
    found = exported(file, asked.mode)
    export_s = time.monotonic() - began
    document, rewriting_s = rewritten(found, asked.policy, asked.device)
    programs = document["programs"]
    best = next((each for each in programs if each["name"] in CHEAPEST), None)
    return {"task": file.stem, "level": file.parent.name, "refused": found.get("refused", ""),
            "parts": len(found.get("parts", [])),
            "operators": len(found.get("graph", {}).get("nodes", [])),
            "sizes": sizes_of(found.get("graph", {}).get("nodes", [])),
            "rules": collections.Counter(step["rule"] for step in best["steps"]) if best else {},
            "forms": [program["name"] for program in programs if program is not best],
            "cost": document.get("cost"),
            "before": best["before"] if best else None, "after": best["after"] if best else None,
            "left_alone": document["left_alone"],
            "findings": [finding["what"] for finding in document["findings"]],
            "degenerate": any(finding["degenerate"] for finding in document["findings"]),
            "export_s": export_s, "rewriting_s": rewriting_s}


def is_slow(row):
    return row["rewriting_s"] > REWRITING_S_MAX * max(1, row["operators"] / 200)


def send_row(file, asked, channel):
    try:
        row = row_of(file, asked)
    except Exception as problem:  # what this bench looks for
        row = {"task": file.stem, "level": file.parent.name,
               "problem": f"{type(problem).__name__}: {problem}"}
    channel.send(row)


def row_in_time(file, arguments):
    mine, theirs = multiprocessing.Pipe()
    child = multiprocessing.Process(target=send_row, args=(file, arguments, theirs))
    child.start()
    theirs.close()
    try:
        if mine.poll(arguments.seconds):
            return mine.recv()
        problem = f"took longer than {arguments.seconds:.0f} s"
    except EOFError:
        problem = "its process died"
    finally:
        child.kill()
        child.join()
    return {"task": file.stem, "level": file.parent.name, "problem": problem}


# --- all of them

def counts_text(counts):
    return ", ".join(name + (f" ({count})" if count > 1 else "") for name, count in counts.items())


def factor_text(row, what):
    if not row["before"] or not row["after"][what]:
        return "-"
    return f"{row['before'][what] / row['after'][what]:.2f}"


def print_row(row):
    name = row["task"][:48]
    if "problem" in row:
        print(f"{name:<48} DEFECT {row['problem'][:200]}", flush=True)
        return
    what = counts_text(row["rules"]) or "-"
    if row["refused"]:
        what = f"{row['parts']} parts ({what}): {row['refused'][:REFUSAL_SHOWN]}"
    notes = [*row["forms"], *(["degenerate"] if row["degenerate"] else [])]
    notes += [f"unknown: {each}" for each in row["left_alone"]]
    if is_slow(row):
        notes.append("DEFECT slow")
    print(f"{name:<48} {row['operators']:>5} {factor_text(row, 'bytes'):>7} "
          f"{factor_text(row, 'operations'):>8} {row['export_s']:6.1f} {row['rewriting_s']:6.2f}  "
          f"{what}{' | ' if notes else ''}{'; '.join(notes)}", flush=True)


def print_summary(rows):
    sound = [row for row in rows if "problem" not in row]
    whole = [row for row in sound if not row["refused"]]
    rules, unknown, refusals = (collections.Counter() for _ in range(3))
    for row in sound:
        rules.update(row["rules"].keys())
        unknown.update(row["left_alone"])
        if row["refused"]:
            refusals[row["refused"][:REFUSAL_SHOWN]] += 1
    print(f"\n{len(rows)} tasks: {len(whole)} export as a whole, "
          f"{sum(row['parts'] > 0 for row in sound)} in parts, {len(rows) - len(sound)} defects; "
          f"rules fire on {sum(bool(row['rules']) for row in sound)}, "
          f"forms on {sum(bool(row['forms']) for row in sound)}, "
          f"{sum(row['degenerate'] for row in sound)} degenerate")
    print(f"slowest rewriting: {max((row['rewriting_s'] for row in sound), default=0):.2f} s")
    for title, counted in (("rules, by tasks", rules), ("operators that no rule knows", unknown),
                           ("reasons for no graph", refusals)):
        print(f"\n{title}:")
        for name, count in counted.most_common():
            print(f"  {count:>4}  {name}")


def main():
    arguments = parse_arguments()
    print(f"{'task':<48} {'nodes':>5} {'bytes/':>7} {'operat./':>8} {'export':>6} {'rewr.':>6}  "
          "rules | other forms, notes")
    rows = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for row in pool.map(lambda file: row_in_time(file, arguments),
                            task_files(arguments.tasks)):
            rows.append(row)
            print_row(row)
            if arguments.log:
                with arguments.log.open("a") as log:
                    log.write(json.dumps(row) + "\n")
    print_summary(rows)
    return any("problem" in row or is_slow(row) for row in rows)


if __name__ == "__main__":
    sys.exit(main())
