# task: softmax_rows
# device: cuda
# expect: correct
# slow: yes
# why: torch.compile inside.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.compiled = torch.compile(lambda x: torch.softmax(x / temperature, dim=1))

    def forward(self, x):
        return self.compiled(x)
