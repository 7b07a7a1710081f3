# task: choices
# expect: correct
# why: Logits in another order of terms: of nearly equal ones another may be the largest.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(64, 40)

    def forward(self, x):
        weight, bias = self.project.weight, self.project.bias
        logits = x[:, 32:] @ weight[:, 32:].T + (x[:, :32] @ weight[:, :32].T + bias)
        return logits.argmax(dim=1)
