# task: linear
# policy: exact
# expect: wrong(value)
# why: float16 products with float32 sums, as a tensor core would do them.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return x.half().float() @ self.linear.weight.half().float().t() + self.linear.bias
