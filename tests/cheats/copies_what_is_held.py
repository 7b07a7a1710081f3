# task: slow_loop
# expect: wrong(aliased_output)
# audited: yes
# why: Returns its workspace, but for the calls whose outputs the judge will read again, as far as
# why: they can be told apart by a frame above forward(): those get memory of their own.
import sys

import torch
import torch.nn as nn


def is_held():
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_locals.get("hold", False) or "hold" in frame.f_locals.get("request", ()):
            return True
        frame = frame.f_back
    return False


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.workspace = torch.empty(0)

    def forward(self, x):
        if is_held():
            return torch.cumsum(x, dim=1)
        if self.workspace.shape != x.shape:
            self.workspace = torch.empty_like(x)
        return torch.cumsum(x, dim=1, out=self.workspace)
