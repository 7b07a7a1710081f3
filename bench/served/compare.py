"""What a shipped package brings to a model that serves: python -m served.compare PACKAGE [SCRIPT].

SCRIPT is served.serve, served.llama or served.resnet. Imports the package and the model alone.
Prints latency (single calls that take turns) and throughput (rows of calls), each over eager; then
holds it to the original on fresh inputs, and on batch sizes that nobody measured.
"""

import copy
import importlib
import statistics
import sys
import time

import torch

ROUNDS, ROW, FRESH = 60, 25, 100
SECONDS_MAX = 25  # of one kind of measurement
OTHER_BATCHES = (3, 5, 8)
TOLERANCE = 1e-4


def seconds_of(script, model, batch, calls):
    start = time.perf_counter()
    for _ in range(calls):
        script.call(model, batch)
    return (time.perf_counter() - start) / calls


def measured(script, models, calls):
    """{name: the median of its seconds a call}; the models take turns."""
    batch, start = script.tokens(script.BATCH), time.perf_counter()
    seen = {name: [] for name in models}
    while len(seen["eager"]) < ROUNDS and time.perf_counter() - start < SECONDS_MAX:
        for name, model in models.items():
            seen[name].append(seconds_of(script, model, batch, calls))
    return {name: statistics.median(some) for name, some in seen.items()}


def expect_same(script, model, original, batch):
    for got, want in zip(script.call(model, batch), script.call(original, batch), strict=True):
        torch.testing.assert_close(got, want, rtol=TOLERANCE, atol=TOLERANCE)


def main(package, name="served.serve"):
    shipped, script = importlib.import_module(package), importlib.import_module(name)
    original = script.model()
    model = copy.deepcopy(original)
    shipped.apply(model)
    models = {"eager": original, "torch.compile": torch.compile(copy.deepcopy(original)),
              package: model}
    with torch.no_grad():
        firsts = {each: seconds_of(script, models[each], script.tokens(script.BATCH), 1)
                  for each in models}
        for kind, calls in (("latency", 1), ("throughput", ROW)):
            found = measured(script, models, calls)
            for each, seconds in found.items():
                print(f"{kind:10}  {each:14}  {seconds * 1e3:7.3f} ms a call  "
                      f"{found['eager'] / seconds:.2f}x")
        for _ in range(FRESH):
            expect_same(script, model, original, script.tokens(script.BATCH))
        for batch in OTHER_BATCHES:
            expect_same(script, model, original, script.tokens(batch))
    print(f"equal on {FRESH} fresh inputs and on batches of {OTHER_BATCHES}; first calls: "
          + ", ".join(f"{each} {seconds:.1f} s" for each, seconds in firsts.items()))


if __name__ == "__main__":
    torch.manual_seed(1)
    main(*sys.argv[1:])
