# task: softmax_rows
# device: cuda
# expect: slower | wrong(value) | wrong(range)
# why: Computes on the CPU, where the device's timers see nothing.
# why: The claim is the longer of the wall's and the device's time.
# why: (The CPU sums rows less exactly, which shows where one element dominates.)
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        return torch.softmax(x.cpu() / self.temperature, dim=1).to(x.device)
