"""What a shipped package brings to the model that serves: `python -m served.compare PACKAGE`.

Imports the package and this model alone. Prints latency (single calls that take turns) and
throughput (rows of calls), each over eager; then holds it to the original on fresh inputs, and on
batch sizes that nobody measured.
"""

import copy
import importlib
import statistics
import sys
import time

import torch

from served.serve import BATCH, LENGTH, causal, tokens, trained

ROUNDS, ROW, FRESH = 200, 25, 100
OTHER_BATCHES = (3, 5, 8)
TOLERANCE = 1e-4


def seconds_of(model, batch, bias, calls):
    start = time.perf_counter()
    for _ in range(calls):
        model(batch, bias=bias)
    return (time.perf_counter() - start) / calls


def measured(models, calls):
    """{name: the median of its seconds a call}; the models take turns."""
    batch, bias = tokens(BATCH), causal(LENGTH)
    seen = {name: [] for name in models}
    for _ in range(ROUNDS):
        for name, model in models.items():
            seen[name].append(seconds_of(model, batch, bias, calls))
    return {name: statistics.median(some) for name, some in seen.items()}


def expect_same(model, original, batch):
    got, want = model(batch, bias=causal(LENGTH)), original(batch, bias=causal(LENGTH))
    for name in ("hidden", "logits"):
        torch.testing.assert_close(getattr(got, name), getattr(want, name), rtol=TOLERANCE,
                                   atol=TOLERANCE)


def main(package):
    shipped = importlib.import_module(package)
    original = trained()
    model = copy.deepcopy(original)
    shipped.apply(model)
    models = {"eager": original, "torch.compile": torch.compile(copy.deepcopy(original)),
              package: model}
    with torch.no_grad():
        seconds_of_first = {name: seconds_of(each, tokens(BATCH), causal(LENGTH), 1)
                            for name, each in models.items()}
        for kind, calls in (("latency", 1), ("throughput", ROW)):
            found = measured(models, calls)
            for name, seconds in found.items():
                print(f"{kind:10}  {name:14}  {seconds * 1e3:7.3f} ms a call  "
                      f"{found['eager'] / seconds:.2f}x")
        for _ in range(FRESH):
            expect_same(model, original, tokens(BATCH))
        for batch in OTHER_BATCHES:
            expect_same(model, original, tokens(batch))
    print(f"equal on {FRESH} fresh inputs and on batches of {OTHER_BATCHES}; first calls: "
          + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in seconds_of_first.items()))


if __name__ == "__main__":
    torch.manual_seed(1)
    main(sys.argv[1])
