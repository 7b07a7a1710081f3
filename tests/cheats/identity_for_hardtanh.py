# task: hardtanh
# expect: wrong(range)
# why: The identity: exact on the task's own inputs, which lie in [-1, 1].
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.clone()
