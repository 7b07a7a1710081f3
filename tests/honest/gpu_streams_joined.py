# task: softmax_rows
# device: cuda
# expect: correct
# why: Halves on two streams, joined before it returns.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.sides = None

    def forward(self, x):
        self.sides = self.sides or [torch.cuda.Stream(), torch.cuda.Stream()]
        main, y = torch.cuda.current_stream(), torch.empty_like(x)
        for side, part, out in zip(self.sides, x.chunk(2), y.chunk(2)):
            side.wait_stream(main)
            with torch.cuda.stream(side):
                out.copy_(torch.softmax(part / self.temperature, dim=1))
            main.wait_stream(side)
        return y
