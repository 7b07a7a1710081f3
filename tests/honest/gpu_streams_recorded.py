# task: softmax_rows
# device: cuda
# expect: correct
# why: Memory of a side stream that says which other one uses it, so that nobody gets it too early.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.side = None

    def forward(self, x):
        self.side = self.side or torch.cuda.Stream()
        main = torch.cuda.current_stream()
        self.side.wait_stream(main)
        x.record_stream(self.side)
        with torch.cuda.stream(self.side):
            y = torch.softmax(x / self.temperature, dim=1)
        y.record_stream(main)
        main.wait_stream(self.side)
        return y
