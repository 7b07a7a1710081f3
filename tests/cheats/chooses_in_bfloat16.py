# task: choices
# expect: wrong(value) | wrong(range)
# why: Logits of bfloat16: the largest of them is another wherever two are close.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(64, 40)

    def forward(self, x):
        weight, bias = self.project.weight.bfloat16(), self.project.bias.bfloat16()
        return torch.addmm(bias, x.bfloat16(), weight.t()).argmax(dim=1)
