# task: softmax_rows
# device: cuda
# expect: slower | wrong(value) | wrong(nan) | wrong(nondeterministic) | suspect(late_write)
# why: Two streams for an eighth and the rest, of which the current one waits for the first alone.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature
        self.side = None

    def forward(self, x):
        self.side = self.side or [torch.cuda.Stream(), torch.cuda.Stream()]
        main, y = torch.cuda.current_stream(), torch.empty_like(x)
        for side, part, out in zip(self.side, self.parts(x), self.parts(y)):
            side.wait_stream(main)
            with torch.cuda.stream(side):
                out.copy_(torch.softmax(part / self.temperature, dim=1))
        main.wait_stream(self.side[0])
        return y

    def parts(self, rows):
        few = len(rows) // 8
        return rows[:few], rows[few:]
