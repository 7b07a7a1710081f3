# task: stream
# expect: ambiguous(gain_unshown) | suspect(clock) | ambiguous | slower | impossible(below_floor)
# why: Computes right into the output slot, so that nothing is left to copy, and takes the time
# why: that an honest host needs for copying off its claim. Warm calls have no copy to hide behind;
# why: there it computes twice.
import sys
import time

import torch
import torch.nn as nn

host = sys.modules.get("cupel.host") or sys.modules["__main__"]
FORM = [{"dtype": "float32", "shape": [256, 256], "strides": [256, 1]}]
copies = []


def copying_ns(slot):
    """What the honest copy would take, as it was in the first calls."""
    if len(copies) < 20:
        y = slot.clone()
        start = time.perf_counter_ns()
        slot.copy_(y)
        copies.append(time.perf_counter_ns() - start)
    return sorted(copies)[len(copies) // 2]


def run(self, instance, arguments, out, hold=False):
    slot = self._outputs.view(out, "float32", (256, 256))
    hidden = copying_ns(slot)
    start = time.perf_counter_ns()
    torch.clamp(arguments[0], min=0, out=slot)
    spent = time.perf_counter_ns() - start
    return max(spent - hidden, spent // 3), {"tree": "t", "outputs": FORM}


host.Session._run = run


class ModelNew(nn.Module):
    def forward(self, x):
        torch.clamp(x, min=0)
        return torch.clamp(x, min=0)
