# task: softmax_rows
# device: cuda
# expect: wrong(value) | wrong(nan) | wrong(range) | wrong(nondeterministic) | suspect(late_write)
# why: Waits for an event on the side stream that was recorded before the last kernel there.
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
        with torch.cuda.stream(self.side):
            scaled = x / self.temperature
            done = self.side.record_event()
            y = torch.softmax(scaled, dim=1)
        main.wait_event(done)
        return y
