# task: softmax_rows
# device: cuda
# expect: wrong(value) | wrong(nan) | wrong(range) | wrong(nondeterministic) | suspect(late_write)
# why: The current stream waits for the side stream, but only once the next call begins.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.side = None

    def forward(self, x):
        self.side = self.side or torch.cuda.Stream()
        torch.cuda.current_stream().wait_stream(self.side)
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            return torch.softmax(x / self.temperature, dim=1)
