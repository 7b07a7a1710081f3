# task: linear
# expect: correct
# audited: slow
# why: Has torch.compile make a function, and settings that change nothing.
import torch
import torch._dynamo
import torch.nn as nn

torch._dynamo.config.suppress_errors = True
torch.set_float32_matmul_precision('highest')


@torch.compile(fullgraph=True, dynamic=False)
def fused(x, w, b):
    return x @ w.t() + b


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()
        self.linear = nn.Linear(*arguments)

    def forward(self, x):
        return fused(x, self.linear.weight, self.linear.bias)
