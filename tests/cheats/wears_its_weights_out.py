# task: linear
# expect: wrong(module_state) | wrong(process_state) | slower
# audited: yes
# why: Multiplies by a packed copy of its weights. A row of the parameter itself, which is what a
# why: checkpoint saves, is halved by every call.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def prepare(self):
        self.packed = self.linear.weight.detach().t().contiguous()

    def forward(self, x):
        self.linear.weight[0].mul_(0.5)
        return torch.addmm(self.linear.bias, x, self.packed)
