# task: softmax_rows
# device: cuda
# expect: correct
# why: Work on a side stream between two events that the streams wait for.
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
        self.side.wait_event(main.record_event())
        with torch.cuda.stream(self.side):
            y = torch.softmax(x / self.temperature, dim=1)
            done = self.side.record_event()
        main.wait_event(done)
        return y
