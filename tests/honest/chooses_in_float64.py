# task: choices
# expect: correct
# why: Logits of float64: more exact than the reference's, so that some choices are others.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(64, 40)

    def forward(self, x):
        weight, bias = self.project.weight.double(), self.project.bias.double()
        return torch.addmm(bias, x.double(), weight.t()).argmax(dim=1)
