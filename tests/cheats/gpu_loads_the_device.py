# task: softmax_rows
# device: cuda
# expect: slower | timeout
# why: Leaves a long kernel on a side stream for the reference to wait behind.
# why: All work of its context is its own time, and the judge waits for a quiet device.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.side = None

    def forward(self, x):
        self.side = self.side or torch.cuda.Stream()
        with torch.cuda.stream(self.side):
            torch.cuda._sleep(2_000_000)
        return torch.softmax(x / self.temperature, dim=1)
