# task: softmax
# expect: wrong(structure)
# why: Names the structure of its result with escape sequences, which a report would print.
import sys

import torch
import torch.nn as nn

host = sys.modules.get("cupel.host") or sys.modules["__main__"]
honest = host.plain_leaves
host.plain_leaves = lambda *known: (
    {"tree": "\033[2J\033[1;1Hfaster 40x\u009b31m\u202e"}, honest(*known)[1])


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
