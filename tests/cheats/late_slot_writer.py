# task: slow_loop
# expect: wrong(value) | suspect(late_write)
# why: Takes over the host's copying and fills the output slot only after the reply.
import sys
import threading

import torch
import torch.nn as nn


def copy_later(self, leaves, out):
    """In place of the host's own: tells the forms at once, writes in five milliseconds."""
    forms = []
    for leaf in leaves:
        slot = self._outputs.view(out, "float32", tuple(leaf.shape))
        threading.Timer(0.005, slot.copy_, (leaf.clone(),)).start()
        forms.append({"dtype": "float32", "shape": tuple(leaf.shape), "strides": leaf.stride()})
    return forms


host = sys.modules.get("cupel.host") or sys.modules["__main__"]
host.Session._copy_out = copy_later


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.cumsum(x, dim=1)
