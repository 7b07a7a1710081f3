# task: linear
# policy: half
# expect: wrong(dtype)
# why: float16 out, also under the policy `half`: the interface stays float32.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.linear(x).half()
