# task: softmax
# expect: correct
# why: A TorchScript function.
import torch
import torch.nn as nn

@torch.jit.script
def softmax(x):
    return torch.softmax(x, dim=-1)


class ModelNew(nn.Module):
    def forward(self, x):
        return softmax(x)
