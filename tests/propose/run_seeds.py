"""Runs candidate files against the task they were made from: run_seeds.py DEVICE TASK.py FILE...

Prints one line a file, "NAME ok ERROR" or "NAME failed REASON"; ERROR is the largest difference
in standard deviations of the reference's output. Exits with 1 if any failed. On the CPU, seeds
made for a GPU autocast there too.
"""

import os
import sys
import traceback

import torch

INPUTS_SEED, WEIGHTS_SEED = 11, 7


def load(path, device):
    namespace = {"__name__": "seed_under_test", "__file__": path}
    with open(path, encoding="utf-8") as file:
        text = file.read().replace('autocast("cuda"', f'autocast("{device}"')
        exec(compile(text, path, "exec"), namespace)
    return namespace


def construct(namespace, name, device):
    torch.manual_seed(WEIGHTS_SEED)
    return namespace[name](*namespace["get_init_inputs"]()).to(device)


def fresh_inputs(task, device):
    return [value.to(device) for value in task["get_inputs"]()]


def leaves(value):
    return [value] if isinstance(value, torch.Tensor) else [t for v in value for t in leaves(v)]


def error_of(got, want):
    assert got.shape == want.shape and got.dtype == want.dtype, (got.shape, got.dtype)
    return ((got - want).abs().max() / want.std()).item()


def reset_switches():
    torch.set_num_threads(2)
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = False


def switches():
    return (torch.get_num_threads(), torch.get_float32_matmul_precision(),
            torch.backends.cudnn.allow_tf32, torch.backends.cudnn.benchmark)


def check(path, task, reference, device):
    reset_switches()
    before = switches()
    model = construct(load(path, device), "ModelNew", device)
    model.load_state_dict(reference.state_dict())  # strict: names must be the reference's
    if hasattr(model, "prepare"):
        model.prepare()
    worst, kept = 0.0, []
    for _ in range(3):
        inputs = fresh_inputs(task, device)
        got, want = leaves(model(*inputs)), leaves(reference(*inputs))
        kept.append((got, want))
    for got, want in kept:  # after the last call: no call may touch what an earlier one returned
        worst = max([worst] + [error_of(g, w) for g, w in zip(got, want, strict=True)])
    assert switches() == before, f"{before} became {switches()}"
    if os.path.basename(path)[: -len(".py")].endswith(("freezing", "trace")):
        keeps_nan(model, reference, fresh_inputs(task, device))
    return worst


def keeps_nan(model, reference, inputs):
    """NaN comes out of the program wherever it comes out of the reference."""
    inputs[0].view(-1)[5] = float("nan")
    for g, w in zip(leaves(model(*inputs)), leaves(reference(*inputs)), strict=True):
        assert g[w.isnan()].isnan().all(), "NaN is swallowed"


def main(device, task_path, paths):
    task = load(task_path, device)
    reference = construct(task, "Model", device)
    torch.manual_seed(INPUTS_SEED)
    failed = False
    for path in paths:
        name = os.path.basename(path)[: -len(".py")]
        try:
            with torch.no_grad():
                print(f"{name} ok {check(path, task, reference, device):.3g}", flush=True)
        except Exception as problem:
            failed = True
            traceback.print_exc()
            print(f"{name} failed {type(problem).__name__}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
