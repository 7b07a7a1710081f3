"""Runs candidate files against the task they were made from: run_seeds.py TASK.py FILE...

Prints one line a file, "NAME ok ERROR" or "NAME failed REASON"; ERROR is the largest difference
in standard deviations of the reference's output. Exits with 1 if any failed.
"""

import os
import sys
import traceback

import torch

INPUTS_SEED, WEIGHTS_SEED = 11, 7


def load(path):
    namespace = {"__name__": "seed_under_test", "__file__": path}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), namespace)
    return namespace


def construct(namespace, name):
    torch.manual_seed(WEIGHTS_SEED)
    return namespace[name](*namespace["get_init_inputs"]())


def fresh_inputs(task):
    return task["get_inputs"]()


def leaves(value):
    return [value] if isinstance(value, torch.Tensor) else [t for v in value for t in leaves(v)]


def error_of(got, want):
    assert got.shape == want.shape and got.dtype == want.dtype, (got.shape, got.dtype)
    return ((got - want).abs().max() / want.std()).item()


def check(path, task, reference):
    torch.set_num_threads(2)
    torch.set_float32_matmul_precision("highest")
    model = construct(load(path), "ModelNew")
    model.load_state_dict(reference.state_dict())  # strict: names must be the reference's
    if hasattr(model, "prepare"):
        model.prepare()
    worst = 0.0
    for _ in range(3):
        inputs = fresh_inputs(task)
        got, want = leaves(model(*inputs)), leaves(reference(*inputs))
        worst = max([worst] + [error_of(g, w) for g, w in zip(got, want, strict=True)])
    return worst


def main(task_path, paths):
    task = load(task_path)
    reference = construct(task, "Model")
    torch.manual_seed(INPUTS_SEED)
    failed = False
    for path in paths:
        name = os.path.basename(path)[: -len(".py")]
        try:
            with torch.no_grad():
                print(f"{name} ok {check(path, task, reference):.3g}", flush=True)
        except Exception as problem:
            failed = True
            traceback.print_exc()
            print(f"{name} failed {type(problem).__name__}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
