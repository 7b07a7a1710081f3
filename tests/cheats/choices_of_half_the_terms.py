# task: choices
# expect: wrong(value) | wrong(range)
# why: The largest of logits that leave out half of the terms.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(64, 40)

    def forward(self, x):
        weight, bias = self.project.weight[:, ::2], self.project.bias
        return (x[:, ::2] @ weight.T + bias).argmax(dim=1)
