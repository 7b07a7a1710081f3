# task: linear
# expect: correct
# audited: slow
# why: Calls a graph that torch.fx traced of its layer.
import torch
import torch.fx
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.linear = nn.Linear(*arguments)

    def prepare(self):
        self.graph = torch.fx.symbolic_trace(self.linear)

    def forward(self, x):
        return self.graph(x)
