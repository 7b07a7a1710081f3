# task: softmax_rows
# device: cuda
# expect: slower | wrong(value) | wrong(nan) | suspect(late_write)
# why: Three times the work on a side stream that nobody joins, so that events on the default
# why: stream see nothing. The end of a call is the end of all work of the device's context.
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
            for _ in range(3):
                y = torch.softmax(x / self.temperature, dim=1)
        return y
