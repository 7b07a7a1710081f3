# task: linear
# policy: exact
# expect: wrong(value)
# why: Low precision at the one shape that benchmarks time, exact arithmetic at any other.
# why: The timed calls are the checked calls.
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        if x.shape == (64, 128):
            return x.half().float() @ self.linear.weight.half().float().t() + self.linear.bias
        return self.linear(x)
