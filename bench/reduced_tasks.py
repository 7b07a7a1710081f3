#!/usr/bin/env python3
"""Copies of task files with smaller sizes, so that a call takes milliseconds on one core.

    bench/reduced_tasks.py FOLDER_OF_TASKS FOLDER_OF_COPIES [--ms 20]

For files such as KernelBench's, which keep their sizes in whole numbers at the module's level. From
LEAST on, the batch and what else has a size is doubled by turns as long as a call of the model
takes --ms milliseconds at most on one thread. Channels, kernels and strides stay, since they are
what rules look at. A copy's first line tells the sizes that were changed. A task that takes longer
with the least ones, or fails, is left out and named. Standard library only; $CUPEL_PYTHON names the
Python with torch.
"""

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# Names of sizes, and how small each may get.
LEAST = {"batch_size": 2}
LEAST |= dict.fromkeys(("depth", "depth_in", "D"), 8)
LEAST |= dict.fromkeys(("height", "width", "height_in", "width_in", "H", "W"), 16)
LEAST |= {"length": 256}  # of a signal
LEAST |= dict.fromkeys(("in_features", "out_features", "input_size", "hidden_size"), 256)
LEAST |= dict.fromkeys(("M", "N", "K"), 256)  # of a product
BATCH_FIRST = 16  # more rows than these are never kept
SECONDS = 60      # for one task
BYTES = 6 << 30   # of address space
# Calls one size after another, and prints a line for each: milliseconds, or what went wrong.
PROBE = """
import json, resource, runpy, sys, time, torch
paths, limit_ms, size = sys.argv[3:], float(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_AS, (size, size))
torch.set_num_threads(1)
for path in paths:
    try:
        task = runpy.run_path(path)
        with torch.no_grad():
            model, inputs = task["Model"](*task["get_init_inputs"]()), task["get_inputs"]()
            took = []
            for _ in range(4):
                start = time.perf_counter()
                model(*inputs)
                took.append(1000 * (time.perf_counter() - start))
        print(json.dumps(min(took)), flush=True)
        if min(took) > limit_ms:
            break
    except Exception as problem:
        print(json.dumps(str(problem).splitlines()[0][:200]), flush=True)
"""


def main():
    options = parse_arguments()
    options.copies.mkdir(parents=True, exist_ok=True)
    for path in sorted(options.tasks.glob("*.py")):
        print(path.stem, reduce(path, options.copies / path.name, options.ms), flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", type=Path)
    parser.add_argument("copies", type=Path)
    parser.add_argument("--ms", type=float, default=20, help="of a call, at most")
    return parser.parse_args()


def reduce(path, copy, limit_ms):
    """Writes the copy, as large as it may be; what became of the task, in words."""
    texts = {}  # of all sizes, the least first, by what was changed
    for batch_halvings, halvings in reversed(halving_turns()):
        text, sizes = with_sizes(path.read_text(), batch_halvings, halvings)
        texts.setdefault(sizes or "as it was", text)
    kept, last = None, "it takes too much time"
    for sizes, last in zip(texts, calls(list(texts.values()), limit_ms)):
        if not isinstance(last, str) and last <= limit_ms:
            kept = sizes, last
    if kept is None:
        return f"left out: {last}" if isinstance(last, str) else f"left out: {last:.0f} ms at least"
    copy.write_text(f"# Sizes: {kept[0]}.\n{texts[kept[0]]}")
    return f"{kept[1]:.1f} ms, {kept[0]}"


def halving_turns():
    """How often the batch and how often the other sizes are halved."""
    turns = [(0, 0)]
    while turns[-1][0] + turns[-1][1] < 12:
        batch, other = turns[-1]
        turns.append((batch + 1, other) if batch <= other else (batch, other + 1))
    return turns


def with_sizes(source, batch_halvings, halvings):
    """The source with fewer, and what was changed: "batch_size 128 to 8, height 256 to 64"."""
    lines, changes = source.splitlines(keepends=True), []
    last_first = sorted(sizes_of(ast.parse(source)), reverse=True,
                        key=lambda size: (size[1].lineno, size[1].col_offset))
    for name, node in last_first:
        size = smaller(name, node.value, batch_halvings if name == "batch_size" else halvings)
        if size == node.value:
            continue
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = line[:node.col_offset] + str(size) + line[node.end_col_offset:]
        changes.append(f"{name} {node.value} to {size}")
    return "".join(lines), ", ".join(reversed(changes))


def sizes_of(tree):
    """(name, constant) of each size; one constant may have several names, of which one is told."""
    for statement in tree.body:
        if not isinstance(statement, ast.Assign):
            continue
        target, value = statement.targets[0], statement.value
        pairs = zip(target.elts, value.elts) if isinstance(target, ast.Tuple) and \
            isinstance(value, ast.Tuple) else [(target, value)]
        for one, number in pairs:
            if getattr(one, "id", None) in LEAST and isinstance(number, ast.Constant):
                yield one.id, number


def smaller(name, size, halvings):
    start = min(size, BATCH_FIRST) if name == "batch_size" else size
    return min(size, max(LEAST[name], start >> halvings))


def calls(texts, limit_ms):
    """Of the texts in order, as far as they were tried: milliseconds of a call, or what failed."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"task_{i}.py" for i in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text)
        command = [os.environ.get("CUPEL_PYTHON", sys.executable), "-c", PROBE, str(limit_ms),
                   str(BYTES), *map(str, paths)]
        try:
            told = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  timeout=SECONDS).stdout
        except subprocess.TimeoutExpired as late:
            told = late.stdout or b""
    return list(map(json.loads, told.decode().splitlines()))


if __name__ == "__main__":
    main()
