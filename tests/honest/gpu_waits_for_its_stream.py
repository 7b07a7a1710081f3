# task: softmax_rows
# device: cuda
# expect: correct
# why: The host itself waits until the side stream has nothing left to do.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.side = None

    def forward(self, x):
        self.side = self.side or torch.cuda.Stream()
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            y = torch.softmax(x / self.temperature, dim=1)
        self.side.synchronize()
        return y
