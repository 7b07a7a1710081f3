# task: linear
# device: cuda
# expect: suspect(clock) | slower | ambiguous
# why: Leaves out what empties the level-2 cache before its calls in rows, so that its weights lie
# why: there, and does its work twice. For still rows the judge empties the cache itself.
import torch.nn as nn
import torch.nn.functional as F
from cupel import gpu_work

gpu_work.GpuWork.empty_cache = lambda self: None


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.linear = nn.Linear(*arguments)

    def forward(self, x):
        F.linear(x, self.linear.weight, self.linear.bias)
        return F.linear(x, self.linear.weight, self.linear.bias)
